"""What was practised and when: one small file in the user's data folder."""

import json
import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path

VERSION = 1


def place():
    """The history's file; DRILL_HISTORY names another."""
    if named := os.environ.get("DRILL_HISTORY"):
        return Path(named)
    from platformdirs import user_data_path

    return user_data_path("whiteboard-rl") / "history.json"


def read():
    """(history by card, a message). A damaged file is set aside, not lost."""
    file = place()
    try:
        made = json.loads(file.read_text("utf-8"))
        if made["version"] != VERSION:
            raise ValueError(f"version {made['version']}")
        if not all(isinstance(each, dict) for each in made["cards"].values()):
            raise ValueError("no cards")
        return made["cards"], ""
    except FileNotFoundError:
        return {}, ""
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
        aside = file.with_name(f"{file.stem}-damaged-{stamp}.json")
        file.replace(aside)
        reason = " ".join(str(error).split())
        return {}, f"the history was damaged ({reason}); it is now {aside}"


def write(cards):
    """Write the history so that a crash leaves the old one or the new one."""
    file = place()
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent, suffix=".json")
    try:
        with open(handle, "w", encoding="utf-8") as out:
            json.dump({"version": VERSION, "cards": cards}, out, indent=1)
            out.flush()
            os.fsync(out.fileno())
        os.replace(name, file)
    except BaseException:
        os.unlink(name)
        raise


def note(function, passed):
    """Count a check of a card and plan the next; a message, if any."""
    from fsrs import Card, Rating, Scheduler

    cards, message = read()
    card = cards.setdefault(function, {"tries": 0, "passed": 0})
    card["tries"] += 1
    card["passed"] += passed
    first = not card.get("failing", False)
    rating = Rating.Again if not passed else Rating.Good
    if passed and not first:
        rating = Rating.Hard
    card["failing"] = not passed
    old = card.get("fsrs")
    planned = Card.from_dict(old) if old else Card()
    # Without chance: the same history gives the same plan.
    planned, _ = Scheduler(enable_fuzzing=False).review_card(planned, rating)
    card["fsrs"] = planned.to_dict()
    card["due"] = planned.due.isoformat()
    write(cards)
    return message


def due(card, now):
    """Whether a practised card is to be practised again."""
    return datetime.fromisoformat(card["due"]) <= now
