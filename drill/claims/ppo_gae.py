"""What the functions of the ppo-gae page promise."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal


def done_ends_the_episode(gae):
    """No finite number after a done changes an advantage up to that done.

    done 之后的任何有限数值，都不影响 done 这一步及之前的优势。
    """
    here, _ = gae([1.0, 2.0, 3.0], [0.5, 0.6, 0.7, 0.8], [0.0, 1.0, 0.0])
    there, _ = gae([1.0, 2.0, -9.0], [0.5, 0.6, 7.0, 8.0], [0.0, 1.0, 0.0])
    assert_allclose(here[:2], there[:2])


def last_value_is_the_bootstrap(gae):
    """The last value stands for all that follows, unless the last step is
    done.

    最后一个价值是自举值，代表之后的一切；最后一步有 done 时，它不起作用。
    """
    advantages, returns = gae([1.0], [100.0, 100.0], [0.0])
    assert_allclose(advantages, [0.0], atol=1e-12)
    assert_allclose(returns, [100.0])
    advantages, _ = gae([1.0], [100.0, 100.0], [1.0])
    assert_allclose(advantages, [-99.0])


def defaults_are_those_of_control(gae):
    """Left out, gamma is 0.99 and lam is 0.95.

    不传参数时，gamma 为 0.99，lam 为 0.95。
    """
    advantages, _ = gae([1.0, 2.0], [0.5, 0.7, 0.3], [0.0, 0.0])
    first, second = 1 + 0.99 * 0.7 - 0.5, 2 + 0.99 * 0.3 - 0.7
    assert_allclose(advantages, [first + 0.99 * 0.95 * second, second])


def lambda_zero_is_the_td_error(gae):
    """With lam=0 the advantage is the one-step TD error.

    lam=0 时，优势就是单步时序差分误差。
    """
    advantages, _ = gae([1.0, 2.0], [0.5, 0.7, 0.3], [0.0, 0.0], 0.9, 0.0)
    assert_allclose(advantages, [1 + 0.9 * 0.7 - 0.5, 2 + 0.9 * 0.3 - 0.7])


def lambda_one_is_monte_carlo(gae):
    """With lam=1 the returns are the discounted rewards plus the discounted
    bootstrap.

    lam=1 时，回报等于折扣奖励之和加上折扣后的自举值。
    """
    rewards, values = [1.0, 2.0], [0.5, 0.7, 0.3]
    advantages, returns = gae(rewards, values, [0.0, 0.0], 0.9, 1.0)
    expected = np.array([1 + 0.9 * 2 + 0.81 * 0.3, 2 + 0.9 * 0.3])
    assert_allclose(returns, expected)
    assert_allclose(advantages, expected - values[:2])
    _, again = gae(rewards, [-4e4, 9e4, 0.3], [0.0, 0.0], 0.9, 1.0)
    assert_allclose(again, expected, rtol=1e-6)
    _, returns = gae([3e4, -2e4], values, [0.0, 0.0], 0.0, 1.0)
    assert_allclose(returns, [3e4, -2e4])


def returns_are_advantages_plus_values(gae):
    """The returns are the advantages plus the values of the same step.

    回报等于优势加上同一步的价值。
    """
    advantages, returns = gae([1.0, 2.0], [0.5, 0.7, 0.3], [0.0, 0.0])
    assert_allclose(returns - advantages, [0.5, 0.7])


def equals_the_discounted_sum_of_td_errors(gae):
    """Up to a done, each advantage sums (gamma·lam)^l times the TD error l
    steps later.

    到第一个 done 为止，每个优势都是后续时序差分误差的加权和，相隔 l 步的权重为
    (gamma·lam)^l。
    """
    advantages, _ = gae([1.0, 2.0], [0.5, 0.7, 0.3], [0.0, 0.0], 0.9, 0.7)
    first, second = 1 + 0.9 * 0.7 - 0.5, 2 + 0.9 * 0.3 - 0.7
    assert_allclose(advantages, [first + 0.63 * second, second])
    gamma, lam = 0.9, 0.7
    rewards = np.array([[1.0, -2.0, 3.0, 0.5], [0.2, 1.5, -1.0, 2.0]])
    values = np.array([[0.5, 0.6, -0.7, 0.8, 0.9], [1.0, -1.1, 1.2, 0.3, 2.0]])
    dones = np.array([[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
    advantages, returns = gae(rewards, values, dones, gamma, lam)
    expected = np.zeros((2, 4))
    for row in range(2):
        for t in range(4):
            for step in range(t, 4):
                done = dones[row, step] > 0
                future = 0.0 if done else gamma * values[row, step + 1]
                error = rewards[row, step] + future - values[row, step]
                expected[row, t] += (gamma * lam) ** (step - t) * error
                if done:
                    break
    assert_allclose(advantages, expected)
    assert_allclose(returns, expected + values[:, :4])


def averages_the_n_step_advantages(gae):
    """GAE averages the n-step advantages with weights (1-lam)·lam^(n-1); the
    longest takes the rest.

    GAE 是各个 n 步优势的加权平均，权重为
    (1-lam)·lam^(n-1)，最长的一项取剩余权重。
    """
    gamma, lam = 0.9, 0.7
    rewards, values = np.array([1.0, -2.0, 3.0]), [0.5, 0.6, -0.7, 0.8]
    advantages, _ = gae(rewards, values, [0.0, 0.0, 0.0], gamma, lam)
    discount = gamma ** np.arange(3.0)
    for t in range(3):
        steps = range(1, 4 - t)
        looks = [
            discount[:n] @ rewards[t : t + n]
            + gamma**n * values[t + n]
            - values[t]
            for n in steps
        ]
        # Past the end every longer look is the last one: it takes the rest.
        weights = [(1 - lam) * lam ** (n - 1) for n in steps]
        weights[-1] = lam ** (len(steps) - 1)
        assert_allclose(sum(weights), 1.0)
        assert_allclose(advantages[t], np.dot(weights, looks))


def a_perfect_critic_leaves_no_advantage(gae):
    """If every value is the discounted return that follows, advantages are 0
    for any lam.

    如果每个价值都恰好等于其后的折扣回报，那么无论 lam 取多少，优势都是 0。
    """
    values = [0.0, 0.0, 0.0, 5.0]
    rewards = [1.0, -2.0, 3.0]
    for t in (2, 1, 0):
        values[t] = rewards[t] + 0.9 * values[t + 1]
    for lam in (0.3, 1.0):
        advantages, returns = gae(rewards, values, [0.0] * 3, 0.9, lam)
        assert_allclose(advantages, np.zeros(3), atol=1e-12)
        assert_allclose(returns, values[:3])


def rows_do_not_mix(gae):
    """Every row of a batch is treated as if it stood alone.

    batch 里的每一行，都与单独计算的结果一样。
    """
    rewards = np.array([[1.0, 2.0], [3.0, 4.0]])
    values = np.array([[0.5, 0.6, 0.7], [0.8, 0.9, 1.0]])
    dones = np.array([[1.0, 0.0], [0.0, 0.0]])
    together = gae(rewards, values, dones)
    for row in range(2):
        alone = gae(rewards[row], values[row], dones[row])
        for many, one in zip(together, alone, strict=True):
            assert_allclose(many[row], one)
    deeper = gae(rewards[None], values[None], dones[None])
    assert_allclose(deeper[0], together[0][None])


def padding_cannot_reach_a_response(gae):
    """With a done at the last response token, finite padding behind it reaches
    no response token.

    只要最后一个回答 token 处有 done，它后面的有限填充值就影响不到任何回答
    token。
    """
    rewards, values = np.ones((2, 3)), np.full((2, 4), 0.5)
    dones = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    clean = gae(rewards, values, dones, 1.0, 0.95)
    rewards[0, 1:], rewards[1, 2:] = 20.0, -20.0
    values[0, 1:], values[1, 2:] = -20.0, 20.0
    padded = gae(rewards, values, dones, 1.0, 0.95)
    for before, after in zip(clean, padded, strict=True):
        assert_array_equal(before[0, :1], after[0, :1])
        assert_array_equal(before[1, :2], after[1, :2])


def dones_of_any_kind(gae):
    """Boolean, integer and floating dones give the same result.

    dones 用布尔、整数或浮点数表示，结果都一样。
    """
    rewards, values = [1.0, 2.0, 3.0], [0.5, 0.6, 0.7, 0.8]
    expected, _ = gae(rewards, values, [False, True, False])
    for dones in ([0, 1, 0], [0.0, 1.0, 0.0]):
        advantages, _ = gae(rewards, values, dones)
        assert_array_equal(advantages, expected)


def integers_are_not_truncated(gae):
    """Integer rewards and values give the same result as floating ones.

    奖励和价值用整数表示，结果与浮点数相同，不会被取整。
    """
    advantages, _ = gae([1, -2], [0.5, 0.6, 0.7], [0, 0])
    expected, _ = gae([1.0, -2.0], [0.5, 0.6, 0.7], [0, 0])
    assert_allclose(advantages, expected)
    advantages, _ = gae([1, 2], [3, 4, 5], [0, 0])
    expected, _ = gae([1.0, 2.0], [3.0, 4.0, 5.0], [0, 0])
    assert_allclose(advantages, expected, rtol=1e-6)


def bfloat16_sums_do_not_stall(gae):
    """Small rewards count beside a large sum even if every input is bfloat16.

    即使所有输入都是 bfloat16，累加值很大时，小奖励也不会被吞掉。
    """
    half = gae.at("bfloat16")
    rewards, dones = [1.0] * 6 + [258.0], [0.0] * 6 + [1.0]
    advantages, _ = half(rewards, [2.0] * 8, dones, 1.0, 1.0)
    assert advantages[6] == 256.0
    assert advantages[0] == 262.0


def wrong_shapes_raise(gae):
    """T rewards need T+1 values and T dones in the same rows, else ValueError.

    T 个奖励须配 T+1 个价值和 T 个 done，行数也须一致，否则抛出 ValueError。
    """
    rows = [[1.0, 2.0]]
    for rewards, values, dones in (
        (rows[0], [0.5, 0.6, 0.7], [0.0, 0.0, 1.0]),
        (rows[0], [0.5, 0.6, 0.7], [0.0]),
        (rows[0], [0.5, 0.6], [0.0, 0.0]),
        (rows[0], [0.5, 0.6, 0.7, 0.8], [0.0, 0.0]),
        (rows, [0.5, 0.6, 0.7], [0.0, 0.0]),
        (rows, [[0.5, 0.6, 0.7]] * 2, [[0.0, 0.0]] * 2),
        (rows, [[0.5, 0.6, 0.7]], [0.0, 0.0]),
        (rows, [0.5, 0.6, 0.7], [[0.0, 0.0]]),
        ([[1.0]] * 3, [[0.5]] * 4, [[0.0]] * 3),
        ([], [], []),
    ):
        with np.testing.assert_raises_regex(ValueError, "^gae: [^\n]+$"):
            gae(rewards, values, dones)


def an_empty_rollout_gives_empty_results(gae):
    """A rollout of no steps gives results of no steps.

    长度为 0 的 rollout，得到长度为 0 的结果。
    """
    for rows in ((), (2,)):
        empty = np.zeros((*rows, 0))
        advantages, returns = gae(empty, np.ones((*rows, 1)), empty)
        assert advantages.shape == returns.shape == (*rows, 0)


def gradient_reaches_values_and_rewards(gae):
    """Nothing is detached: gradients reach the rewards and the values.

    函数内部不停止梯度：梯度能传到奖励和价值。
    """
    rewards, values, dones = [1.0, 2.0, 3.0], [0.5, 0.6, 0.7, 0.8], [0.0] * 3
    call = (rewards, values, dones, 0.9, 0.7)
    slopes = gae.grad("rewards", *call, of=(0, 0))
    assert_allclose(slopes, [1.0, 0.63, 0.63**2], rtol=1e-6)
    slopes = gae.grad("values", *call, of=(0, 0))
    middle = 0.9 * (1 - 0.7)
    expected = [-1.0, middle, 0.63 * middle, 0.63**2 * 0.9]
    assert_allclose(slopes, expected, rtol=1e-6)
    slopes = gae.grad("values", *call, of=(1, 0))
    assert_allclose(slopes, [0.0, *expected[1:]], rtol=1e-6, atol=1e-9)


def a_larger_lam_weighs_rewards_more_and_values_less(gae):
    """A larger lam weighs later rewards more and, up to a done, later values
    less in total.

    lam 越大，后面的奖励权重越大；到 done 为止，后面的价值总权重越小。
    """
    rewards, values = [1.0, 2.0, 3.0], [0.5, 0.6, 0.7, 0.8]
    of_rewards, of_values = [], []
    for lam in (0.3, 0.7):
        call = (rewards, values, [0.0, 0.0, 1.0], 0.9, lam)
        slopes = gae.grad("rewards", *call, of=(0, 0))
        of_rewards.append(slopes[1:])
        slopes = gae.grad("values", *call, of=(0, 0))
        of_values.append(np.abs(slopes[1:]).sum())
    assert (of_rewards[1] > of_rewards[0]).all()
    assert of_values[1] < of_values[0]
