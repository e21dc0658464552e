# mistakes: the relative error is not limited to plus or minus 0.2
# named: not_clipped
def adapt_kl_coef(beta, kl, target, horizon, num_steps):
    error = kl / target - 1.0
    return beta * (1.0 + error * num_steps / horizon)
