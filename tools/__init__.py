"""Site glue: pages read, formulas set, records written, the site served."""
