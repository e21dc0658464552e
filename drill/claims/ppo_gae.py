"""What the functions of the ppo-gae page promise."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal


def done_ends_the_episode(gae):
    """Unless something overflows, no number after a done changes an advantage
    up to that done.

    只要不溢出，done 之后的任何数值都不影响 done 这一步及之前的优势。
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
    """With a done at the last response token, padding behind it that does not
    overflow reaches no response token.

    只要最后一个回答 token 处有 done，它后面不溢出的填充值就影响不到任何回答
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
    less in total; of independent rewards more noise arrives.

    lam 越大，后面的奖励权重越大；到 done
    为止，后面的价值总权重越小；若各步奖励相互独立，传来的噪声更大。
    """
    rewards, values = [1.0, 2.0, 3.0], [0.5, 0.6, 0.7, 0.8]
    of_rewards, of_values, noise = [], [], []
    for lam in (0.3, 0.7):
        call = (rewards, values, [0.0, 0.0, 1.0], 0.9, lam)
        slopes = gae.grad("rewards", *call, of=(0, 0))
        of_rewards.append(slopes[1:])
        noise.append((slopes**2).sum())  # the variance, if each has 1
        slopes = gae.grad("values", *call, of=(0, 0))
        of_values.append(np.abs(slopes[1:]).sum())
    assert (of_rewards[1] > of_rewards[0]).all()
    assert of_values[1] < of_values[0]
    assert noise[1] > noise[0]


def a_truncation_keeps_the_next_value(gae_truncated):
    """At a truncation the value of the state reached stands for the rest; at
    a termination nothing does.

    截断时，以所到达状态的价值代表之后的一切；终止时，之后什么也没有。
    """
    call = ([1.0], [100.0], [100.0])
    advantages, returns = gae_truncated(*call, [0.0], [1.0])
    assert_allclose(advantages, [0.0], atol=1e-12)
    assert_allclose(returns, [100.0])
    advantages, returns = gae_truncated(*call, [1.0], [0.0])
    assert_allclose(advantages, [-99.0])
    assert_allclose(returns, [1.0])


def a_cut_ends_the_recursion(gae_truncated):
    """Unless something overflows, no number after a termination or a
    truncation changes an advantage up to it.

    只要不溢出，终止或截断之后的任何数值都不影响这一步及之前的优势。
    """
    for terminated, truncated in (
        ([0.0, 1.0, 0.0], [0.0, 0.0, 0.0]),
        ([0.0, 0.0, 0.0], [0.0, 1.0, 0.0]),
    ):
        cuts = (terminated, truncated)
        here, _ = gae_truncated(
            [1.0, 2.0, 3.0], [0.5, 0.6, 0.7], [0.6, 0.9, 0.8], *cuts
        )
        there, _ = gae_truncated(
            [1.0, 2.0, -9.0], [0.5, 0.6, 7.0], [0.6, 0.9, 8.0], *cuts
        )
        assert_allclose(here[:2], there[:2])


def a_terminated_step_has_no_next_value(gae_truncated):
    """A step that is both terminated and truncated counts as terminated.

    一步既终止又被截断时，按终止处理。
    """
    advantages, _ = gae_truncated(
        [1.0, 2.0], [0.5, 0.6], [0.6, 9.0], [0, 1], [0, 1], 0.9, 0.7
    )
    last = 2 - 0.6
    assert_allclose(advantages, [1 + 0.9 * 0.6 - 0.5 + 0.63 * last, last])


def each_episode_is_a_rollout_of_its_own(gae, gae_truncated):
    """A rollout cut into its episodes by hand, each with its own bootstrap,
    gives the same with gae.

    把 rollout 手工拆成各个回合，各自自举，再用 gae 计算，结果相同。
    """
    rewards, values = [1.0, 2.0], [0.5, 0.6]
    advantages, returns = gae_truncated(
        rewards, values, [0.6, 0.9], [0, 0], [0, 1]
    )
    apart = gae(rewards, [*values, 0.9], [0, 0])
    assert_allclose([advantages, returns], apart)
    rewards = np.array([[1.0, -2.0, 3.0, 0.5], [0.2, 1.5, -1.0, 2.0]])
    values = np.array([[0.5, 0.6, -0.7, 0.8], [1.0, -1.1, 1.2, 0.3]])
    reached = np.array([[0.6, 4.0, 0.8, 0.9], [-1.1, 1.2, -3.0, 2.0]])
    terminated = np.array([[0, 0, 0, 1], [0, 0, 0, 0]])
    truncated = np.array([[0, 1, 0, 0], [0, 0, 1, 0]])
    together = gae_truncated(
        rewards, values, reached, terminated, truncated, 0.9, 0.7
    )
    for row, begin, end in ((0, 0, 2), (0, 2, 4), (1, 0, 3), (1, 3, 4)):
        part = (row, slice(begin, end))
        apart = gae(
            rewards[part],
            [*values[part], reached[row, end - 1]],
            terminated[part],
            0.9,
            0.7,
        )
        for many, one in zip(together, apart, strict=True):
            assert_allclose(many[part], one)


def truncation_by_the_definition(gae_truncated):
    """Up to a cut, each advantage sums (gamma·lam)^l times the TD error l
    steps later, and the returns are the advantages plus the values.

    到回合断开处为止，每个优势都是后续时序差分误差的加权和，相隔 l 步的权重为
    (gamma·lam)^l；回报等于优势加价值。
    """
    advantages, returns = gae_truncated(
        [1.0, 2.0], [0.5, 0.6], [0.6, 0.9], [0, 0], [0, 0], 0.9, 0.7
    )
    second = 2 + 0.9 * 0.9 - 0.6
    first = 1 + 0.9 * 0.6 - 0.5 + 0.63 * second
    assert_allclose(advantages, [first, second])
    assert_allclose(returns, [first + 0.5, second + 0.6])
    advantages, _ = gae_truncated(
        [1.0, 2.0], [0.5, 0.6], [0.6, 0.9], [0, 0], [0, 0]
    )
    second = 2 + 0.99 * 0.9 - 0.6
    first = 1 + 0.99 * 0.6 - 0.5 + 0.99 * 0.95 * second
    assert_allclose(advantages, [first, second])


def truncated_flags_of_any_kind(gae_truncated):
    """Boolean, integer and floating flags give the same result, and integer
    rewards and values are not truncated.

    标志位用布尔、整数或浮点数表示，结果都一样；整数的奖励和价值也不会被取整。
    """
    call = ([1, 2, 3], [1, 2, 1], [2, 2, 1])
    expected, _ = gae_truncated(*call, [False] * 3, [False, True, False])
    for none, cut in (([0, 0, 0], [0, 1, 0]), ([0.0] * 3, [0.0, 1.0, 0.0])):
        advantages, _ = gae_truncated(*call, none, cut)
        assert_allclose(advantages, expected, rtol=1e-6)
    assert_allclose(expected[2], 3 + 0.99 - 1, rtol=1e-6)


def truncation_needs_equal_shapes(gae_truncated):
    """All five arrays have the same shape, else ValueError.

    五个数组的形状必须相同，否则抛出 ValueError。
    """
    ones = [1.0, 1.0]
    for place in range(1, 5):
        for wrong in ([1.0], [1.0] * 3, [ones]):
            call = [ones] * 5
            call[place] = wrong
            with np.testing.assert_raises_regex(
                ValueError, "^gae_truncated: [^\n]+$"
            ):
                gae_truncated(*call)


def truncation_of_nothing_is_nothing(gae_truncated):
    """A rollout of no steps gives results of no steps.

    长度为 0 的 rollout，得到长度为 0 的结果。
    """
    for rows in ((), (2,)):
        advantages, returns = gae_truncated(*[np.zeros((*rows, 0))] * 5)
        assert advantages.shape == returns.shape == (*rows, 0)


def truncation_sums_in_more_than_bfloat16(gae_truncated):
    """Small rewards count beside a large sum even if every input is bfloat16.

    即使所有输入都是 bfloat16，累加值很大时，小奖励也不会被吞掉。
    """
    half = gae_truncated.at("bfloat16")
    rewards, ends = [1.0] * 6 + [258.0], [0.0] * 6 + [1.0]
    advantages, _ = half(
        rewards, [2.0] * 7, [2.0] * 7, ends, [0.0] * 7, 1.0, 1.0
    )
    assert advantages[6] == 256.0
    assert advantages[0] == 262.0


def whitened_tokens_have_mean_0_and_deviation_1(whiten):
    """Over the valid tokens of the batch the mean becomes 0 and the sample
    standard deviation 1.

    在整个 batch 的有效 token 上，均值变为 0，样本标准差变为 1。
    """
    white = whiten([1.0, 3.0], [1, 1])
    assert_allclose(white, [-(0.5**0.5), 0.5**0.5])
    x = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, 9.0]])
    mask = np.array([[1, 1, 1], [1, 1, 0]])
    valid = whiten(x, mask, True)[mask > 0]
    assert_allclose([valid.mean(), valid.std(ddof=1)], [0, 1], atol=1e-8)


def whitening_keeps_the_order_and_the_gaps(whiten):
    """Whitening is a shift and a scale, the same for every row: if the spread
    is far above 1e-4, another unit or origin of x changes nothing.

    白化只做平移和缩放，各行相同：只要离散程度远大于
    1e-4，换一个单位或原点，结果不变。
    """
    x = np.array([[1.0, -2.0], [0.5, 4.0]])
    mask = np.ones((2, 2))
    white = whiten(x, mask)
    assert_allclose(whiten(8 * x - 5, mask), white, atol=1e-7)
    gaps = np.diff(white.ravel()) / np.diff(x.ravel())
    assert_allclose(gaps, gaps[0])


def whitening_ignores_padding(whiten):
    """What stands at a masked position changes no other result; the result
    there is 0.

    被掩掉的位置上是什么，都不影响其他结果；这些位置的结果是 0。
    """
    mask = [1, 1, 0, 1, 0]
    for shift in (True, False):
        here = whiten([1.0, 2.0, 20.0, 4.0, -20.0], mask, shift)
        there = whiten([1.0, 2.0, -20.0, 4.0, np.nan], mask, shift)
        assert_array_equal(here, there)
        assert_array_equal(here[[2, 4]], [0.0, 0.0])


def whitening_without_a_shift_keeps_the_mean(whiten):
    """With shift_mean=False the mean of the valid tokens stays, and the
    distances from it are scaled.

    shift_mean=False 时，有效 token 的均值保持不变，只缩放与均值的距离。
    """
    x, mask = [1.0, 2.0, 6.0, 9.0], [1, 1, 1, 0]
    scaled = whiten(x, mask, False)
    assert_allclose(scaled[:3].mean(), 3.0)
    assert_allclose(scaled[:3] - 3.0, whiten(x, mask)[:3])
    assert_allclose(np.std(scaled[:3], ddof=1), 1.0)


def a_shift_of_rewards_prices_length(whiten):
    """Whitening rewards with the shift takes the mean from each token: a long
    response is charged if the mean is positive, paid if it is negative.

    带平移地白化奖励，会从每个 token
    上减去均值：均值为正时回答越长扣得越多，均值为负时越长反而越占便宜。
    """
    rewards = np.array([[0.0, 0.0, 3.0, 2.0], [1.0, 0.0, 0.0, 0.0]])
    mask = np.array([[1, 1, 1, 1], [1, 0, 0, 0]])
    for sign in (1, -1):
        shifted = whiten(sign * rewards, mask).sum(-1)
        kept = whiten(sign * rewards, mask, False).sum(-1)
        mean = sign * rewards[mask > 0].mean()
        assert_allclose(kept - shifted, mean * mask.sum(-1))


def returns_come_before_whitening(gae, whiten):
    """With lam=1, gae's returns are the rewards to come; whitened advantages
    plus values are not.

    lam=1 时，gae 给出的回报就是后续奖励之和；白化后的优势加上价值则不是。
    """
    rewards, values = [1.0, 2.0, 3.0], [0.5, 0.6, 0.7, 0.8]
    advantages, returns = gae(rewards, values, [0, 0, 1], 1.0, 1.0)
    assert_allclose(returns, [6.0, 5.0, 3.0])
    white = whiten(advantages, [1, 1, 1])
    assert_allclose(white.mean(), 0.0, atol=1e-12)
    assert np.abs(white + values[:3] - returns).min() > 1


def equal_tokens_whiten_to_zero(whiten):
    """Equal tokens, a single token or none give 0, never nan, in float32 and
    bfloat16 too.

    token 全相等、只有一个或一个都没有时，结果是 0，不会是 nan，float32 与
    bfloat16 下也是如此。
    """
    assert_array_equal(whiten([2.0, 2.0], [1, 1]), [0.0, 0.0])
    assert_array_equal(whiten([5.0, 2.0], [1, 0]), [0.0, 0.0])
    assert_array_equal(whiten([5.0, 2.0], [0, 0]), [0.0, 0.0])
    for shape in ((2, 0), (0, 3)):
        assert whiten(np.ones(shape), np.ones(shape)).shape == shape
    for value, size in ((1000.1, 1024), (-0.7, 13)):
        equal = np.full(size, value)
        white = whiten.at("float32")(equal, np.ones(size))
        assert_array_equal(white, np.zeros(size))
    white = whiten.at("bfloat16")([0.7] * 13, [1] * 13)
    assert_array_equal(white, np.zeros(13))


def tiny_differences_are_not_blown_up(whiten):
    """1e-8 is added to the variance: tokens that differ by far less than 1e-4
    stay near 0.

    方差上加了 1e-8：相差远小于 1e-4 的 token，结果仍在 0 附近。
    """
    white = whiten([0.0, 1e-6], [1, 1])
    assert_allclose(white, [-0.5e-2, 0.5e-2], rtol=1e-3)


def integers_are_whitened_as_floats(whiten):
    """Integer x gives the same result as floating x.

    x 用整数表示，结果与浮点数相同。
    """
    assert_allclose(whiten([1, 3], [1, 1]), [-(0.5**0.5), 0.5**0.5], rtol=1e-6)


def overshooting_the_right_way_stops_the_gradient(ppo_policy_loss):
    """Past the bound in the direction that the advantage rewards, the loss is
    flat: A>0 above 1+eps, A<0 below 1-eps.

    概率比沿着优势鼓励的方向越过边界后，损失不再变化，梯度为 0：A>0 且高于
    1+eps，A<0 且低于 1-eps。
    """
    for ratio, advantage, loss in ((1.5, 2.0, -2.4), (0.5, -2.0, 1.6)):
        call = ([np.log(ratio)], [0.0], [advantage], [1])
        assert_allclose(ppo_policy_loss(*call), loss)
        slopes = ppo_policy_loss.grad("logps", *call)
        assert_allclose(slopes, [0.0], atol=1e-9)


def overshooting_the_wrong_way_keeps_the_gradient(ppo_policy_loss):
    """Past the bound against the advantage, nothing is clipped: A>0 below
    1-eps, A<0 above 1+eps; value and gradient are -ratio·A.

    概率比逆着优势的方向越过边界时不裁剪：A>0 且低于 1-eps，A<0 且高于
    1+eps，损失和梯度都是 -概率比·A。
    """
    for ratio, advantage in ((0.5, 2.0), (1.5, -2.0)):
        call = ([np.log(ratio)], [0.0], [advantage], [1])
        assert_allclose(ppo_policy_loss(*call), -ratio * advantage)
        slopes = ppo_policy_loss.grad("logps", *call)
        assert_allclose(slopes, [-ratio * advantage], rtol=1e-6)


def at_ratio_one_it_is_the_policy_gradient(ppo_policy_loss):
    """Where both policies agree, as in the first minibatch, clipping does
    nothing, and the gradient is that of -A·logps.

    两个策略一致时（例如第一个 minibatch），裁剪不起作用，梯度就是 -A·logps
    的梯度。
    """
    logps, advantages = [-1.0, -2.0, -0.5], [1.0, -3.0, 2.0]
    call = (logps, logps, advantages, [1, 1, 1])
    assert_allclose(ppo_policy_loss(*call), -np.mean(advantages), atol=1e-12)
    slopes = ppo_policy_loss.grad("logps", *call)
    assert_allclose(slopes, -np.array(advantages) / 3, rtol=1e-6)


def the_ratio_corrects_for_the_old_policy(ppo_policy_loss):
    """For one prefix, while nothing is clipped, the mean over the old
    policy's tokens has the gradient of the new policy's expected advantage.

    在同一前缀下，只要没有触发裁剪，对旧策略的 token
    取期望，梯度就等于新策略下期望优势的梯度。
    """
    old, new = np.array([0.5, 0.3, 0.2]), np.array([0.4, 0.35, 0.25])
    advantages = np.array([1.0, -2.0, 3.0])
    call = (np.log(new), np.log(old), advantages, [1, 1, 1], 0.5)
    # The loss is a plain mean of three; weigh each token as often as it comes.
    weights = 3 * old * ppo_policy_loss.grad("logps", *call)
    of_logits = weights - new * weights.sum()
    true = new * (advantages - new @ advantages)
    assert_allclose(of_logits, -true, rtol=1e-6, atol=1e-9)


def token_ratios_leave_the_prefixes_old(ppo_policy_loss):
    """Over two tokens, the ratio of each token does not give the new policy's
    gradient: what follows a token is still weighed as the old policy did.

    两个 token 的序列中，逐 token
    的概率比得不到新策略的梯度：一个 token 之后的部分，仍按旧策略加权。
    """
    old, new = np.array([0.5, 0.5]), np.array([0.45, 0.55])
    old_next = np.array([[0.5, 0.5], [0.5, 0.5]])
    new_next = np.array([[0.6, 0.4], [0.45, 0.55]])
    scores = np.array([[2.0, -1.0], [0.5, 1.0]])
    # By the first token's logits, each of the four answers as often as it is.
    first, second = np.divmod(np.arange(4), 2)
    call = (np.log(new)[first], np.log(old)[first], scores.ravel(), [1] * 4)
    slopes = 4 * ppo_policy_loss.grad("logps", *call)
    chances = old[first] * old_next[first, second]
    of_logits = (chances * slopes) @ (np.eye(2)[first] - new)
    as_old = new * (old_next * scores).sum(-1)
    true = new * (new_next * scores).sum(-1)
    as_old, true = as_old - new * as_old.sum(), true - new * true.sum()
    assert_allclose(of_logits, -as_old, rtol=1e-6)
    assert np.abs(as_old - true).max() > 0.05


def micro_batches_are_weighed_by_their_tokens(ppo_policy_loss):
    """The losses of two micro-batches add up to the batch's loss if each is
    weighed by its share of the valid tokens.

    两个 micro-batch
    的损失按各自有效 token 的占比加权，才等于整个 batch 的损失。
    """
    logps, old = np.array([[-1.0, -2.0], [-1.5, -0.5]]), np.full((2, 2), -1.25)
    advantages = np.array([[1.0, -2.0], [3.0, 5.0]])
    mask = np.array([[1, 1], [1, 0]])
    call = (logps, old, advantages, mask)
    parts = [
        ppo_policy_loss(*(each[row : row + 1] for each in call))
        for row in range(2)
    ]
    loss = ppo_policy_loss(*call)
    assert_allclose(parts @ np.array([2, 1]) / 3, loss)
    assert abs(np.mean(parts) - loss) > 0.1


def the_minimum_is_the_cautious_choice(ppo_policy_loss):
    """The loss is never below the unclipped -ratio·A.

    损失从不低于未裁剪的 -概率比·A。
    """
    for ratio in (0.3, 0.9, 1.1, 2.0):
        for advantage in (1.0, -1.0):
            call = ([np.log(ratio)], [0.0], [advantage], [1])
            assert ppo_policy_loss(*call) >= -ratio * advantage - 1e-12
    loss = ppo_policy_loss([np.log(2.0)], [0.0], [1.0], [1])
    assert_allclose(loss, -1.2)


def a_shared_weight_carries_a_clipped_token_on(ppo_policy_loss):
    """A clipped token has no gradient of its own, but a weight that it shares
    with another token still moves it outwards.

    被裁剪的 token 自己没有梯度，但与其他 token
    共用的权重仍会把它推得更远。
    """
    weight, features = 0.25, np.array([1.0, 0.5])
    call = (weight * features, [0.0, 0.0], [1.0, 1.0], [1, 1])
    slopes = ppo_policy_loss.grad("logps", *call)
    assert_allclose(slopes, [0.0, -0.5 * np.exp(0.125)], rtol=1e-6, atol=1e-9)
    assert slopes @ features < 0


def a_clipped_token_is_not_pulled_back(ppo_policy_loss):
    """Far outside, a clipped token has no gradient; one with A<0 above the
    bound is pulled back, the harder the larger its ratio.

    远在边界之外，被裁剪的 token 没有梯度；A<0 且高于上界的 token
    会被拉回，概率比越大，力度越大。
    """
    slopes = ppo_policy_loss.grad(
        "logps", [np.log(50.0)] * 2, [0.0] * 2, [1.0, -1.0], [1, 1]
    )
    assert_allclose(slopes, [0.0, 25.0], rtol=1e-6, atol=1e-9)


def policy_loss_by_the_definition(ppo_policy_loss):
    """The loss averages, over valid tokens alone, the larger of -ratio·A and
    -A times the ratio held within 1-eps and 1+eps.

    损失只对有效 token 求平均；每个 token 取 -概率比·A 与“限制在 1-eps 到 1+eps
    之间的概率比乘 -A”中较大的一个。
    """
    assert_allclose(ppo_policy_loss([0.0], [0.0], [3.0], [1]), -3.0)
    ratios = np.array([[1.5, 0.5, 1.1], [1.5, 0.5, 9.0]])
    advantages = np.array([[1.0, 2.0, -1.5], [-1.0, -2.0, 7.0]])
    mask = np.array([[1, 1, 1], [1, 1, 0]])
    old = np.array([[-1.0, -2.0, -0.5], [-3.0, -1.5, -2.5]])
    total = 0.0
    for row, t in np.argwhere(mask):
        ratio, advantage = ratios[row, t], advantages[row, t]
        held = min(max(ratio, 0.7), 1.3)
        total += max(-ratio * advantage, -held * advantage)
    loss = ppo_policy_loss(np.log(ratios) + old, old, advantages, mask, 0.3)
    assert_allclose(loss, total / 5)


def policy_loss_ignores_padding(ppo_policy_loss):
    """What stands at masked positions, be it infinite or nan, changes neither
    the loss nor a gradient.

    被掩掉的位置上无论是什么（无穷大、nan 也罢），既不影响损失，也不影响梯度。
    """
    mask = [1, 0, 1, 0]
    old, advantages = [-1.0, -1.0, -2.0, -2.0], [1.0, 5.0, -1.0, -5.0]
    call = ([-1.1, -1.0, -1.9, -2.0], old, advantages, mask)
    loss = ppo_policy_loss(*call)
    slopes = ppo_policy_loss.grad("logps", *call)
    assert_array_equal(slopes[[1, 3]], [0.0, 0.0])
    for one, other in ((19.0, -22.0), (900.0, np.nan), (-np.inf, np.inf)):
        filled = [-1.1, one, -1.9, other]
        advantages = [1.0, -20.0, -1.0, 20.0]
        assert_allclose(ppo_policy_loss(filled, old, advantages, mask), loss)
        again = ppo_policy_loss.grad("logps", filled, old, advantages, mask)
        assert_allclose(again, slopes, atol=1e-9)


def unlikely_tokens_have_a_ratio(ppo_policy_loss):
    """The ratio is a difference of logarithms: a token of log-probability
    -1000 has one too.

    概率比由对数相减得到：对数概率低到 -1000 的
    token，也能算出正确的概率比。
    """
    loss = ppo_policy_loss([-1000.0], [-1000.1], [2.0], [1])
    assert_allclose(loss, -2 * np.exp(0.1))


def no_valid_token_costs_nothing(ppo_policy_loss):
    """Without a valid token the policy loss and its gradient are 0.

    没有有效 token 时，策略损失和梯度都是 0。
    """
    call = ([-1.0, -2.0], [-1.5, -1.0], [1.0, -1.0], [0, 0])
    assert ppo_policy_loss(*call) == 0.0
    slopes = ppo_policy_loss.grad("logps", *call)
    assert_array_equal(slopes, [0.0, 0.0])
    for shape in ((2, 0), (0, 3)):
        assert ppo_policy_loss(*[np.ones(shape)] * 4) == 0.0


def samples_and_advantages_get_no_gradient(
    ppo_policy_loss, dual_clip_policy_loss
):
    """No gradient reaches the old log-probabilities or the advantages.

    梯度不会传到旧策略的对数概率和优势。
    """
    call = ([-1.0, -2.0], [-1.1, -1.9], [1.0, -1.0], [1, 1])
    for loss in (ppo_policy_loss, dual_clip_policy_loss):
        assert loss.stops("old_logps", *call)
        assert loss.stops("advantages", *call)


def dual_clip_bounds_the_loss(dual_clip_policy_loss):
    """Where A<0 and the ratio is above dual_clip, a token's loss is
    dual_clip·|A| and its gradient 0.

    A<0 且概率比高于 dual_clip 时，该 token 的损失是 dual_clip·|A|，梯度为 0。
    """
    call = ([np.log(50.0)], [0.0], [-1.0], [1])
    assert_allclose(dual_clip_policy_loss(*call), 3.0)
    slopes = dual_clip_policy_loss.grad("logps", *call)
    assert_allclose(slopes, [0.0], atol=1e-9)
    assert_allclose(dual_clip_policy_loss(*call, 0.2, 10.0), 10.0)


def elsewhere_dual_clip_is_the_clipped_loss(
    ppo_policy_loss, dual_clip_policy_loss
):
    """Where A>0, or the ratio is below dual_clip, both losses agree, in value
    and gradient.

    A>0 或概率比低于 dual_clip 时，两种损失的数值和梯度都相同。
    """
    for ratio, advantage in (
        (50.0, 2.0),
        (0.5, 2.0),
        (5.0, 0.5),
        (2.5, -2.0),
        (0.5, -2.0),
        (1.1, -2.0),
    ):
        call = ([np.log(ratio)], [0.0], [advantage], [1])
        assert_allclose(dual_clip_policy_loss(*call), ppo_policy_loss(*call))
        assert_allclose(
            dual_clip_policy_loss.grad("logps", *call),
            ppo_policy_loss.grad("logps", *call),
            atol=1e-9,
        )


def dual_clip_by_the_definition(dual_clip_policy_loss):
    """The loss averages, over valid tokens alone, the clipped loss of each,
    held below dual_clip·|A| where A<0.

    损失只对有效 token 求平均；每个 token 取裁剪后的损失，A<0 时不超过
    dual_clip·|A|。
    """
    assert_allclose(dual_clip_policy_loss([0.0], [0.0], [3.0], [1]), -3.0)
    ratios = np.array([[1.5, 0.5, 1.1, 6.0], [6.0, 0.5, 1.5, 9.0]])
    advantages = np.array([[1.0, 2.0, -1.5, 1.0], [-1.0, -2.0, -0.5, -7.0]])
    mask = np.array([[1, 1, 1, 1], [1, 1, 1, 0]])
    old = np.array([[-1.0, -2.0, -0.5, -3.0], [-3.0, -1.5, -2.5, -3.0]])
    total = 0.0
    for row, t in np.argwhere(mask):
        ratio, advantage = ratios[row, t], advantages[row, t]
        held = min(max(ratio, 0.7), 1.3)
        loss = max(-ratio * advantage, -held * advantage)
        total += min(loss, 2 * abs(advantage)) if advantage < 0 else loss
    call = (np.log(ratios) + old, old, advantages, mask)
    assert_allclose(dual_clip_policy_loss(*call, 0.3, 2.0), total / 7)
    assert dual_clip_policy_loss([0.0], [0.5], [1.0], [0]) == 0.0


def dual_clip_ignores_padding(dual_clip_policy_loss):
    """What stands at masked positions, be it infinite or nan, changes neither
    the loss nor a gradient.

    被掩掉的位置上无论是什么（无穷大、nan 也罢），既不影响损失，也不影响梯度。
    """
    old, mask = [-1.0, -1.0, -2.0, -2.0], [1, 0, 1, 0]
    logps, advantages = [-1.1, -1.0, -1.9, -2.0], [1.0, 5.0, -1.0, -5.0]
    loss = dual_clip_policy_loss(logps, old, advantages, mask)
    slopes = dual_clip_policy_loss.grad("logps", logps, old, advantages, mask)
    assert_array_equal(slopes[[1, 3]], [0.0, 0.0])
    for one, other in ((19.0, -22.0), (900.0, np.nan), (-np.inf, np.inf)):
        filled = [-1.1, one, -1.9, other]
        call = (filled, old, [1.0, -20.0, -1.0, 20.0], mask)
        assert_allclose(dual_clip_policy_loss(*call), loss)
        again = dual_clip_policy_loss.grad("logps", *call)
        assert_allclose(again, slopes, atol=1e-9)


def a_value_running_ahead_of_its_bound_stops(ppo_value_loss):
    """If the value has moved more than clip_eps towards the return and is
    still the closer one, the clipped error is larger and no gradient is left.

    价值朝回报方向移动超过
    clip_eps、且仍比裁剪值更接近回报时，裁剪后的误差更大，梯度为 0。
    """
    call = ([0.3], [0.1], [10.0], [1])
    assert_allclose(ppo_value_loss(*call, 0.1), 0.5 * 9.8**2)
    slopes = ppo_value_loss.grad("values", *call, 0.1)
    assert_allclose(slopes, [0.0], atol=1e-9)


def a_value_far_past_its_return_is_called_back(ppo_value_loss):
    """A value that has passed its return, and is further from it than the
    clipped value, has a gradient again.

    价值越过回报，且比裁剪值离回报更远时，又有梯度。
    """
    call = ([3.0], [0.5], [1.0], [1])
    assert_allclose(ppo_value_loss(*call), 2.0)
    slopes = ppo_value_loss.grad("values", *call)
    assert_allclose(slopes, [2.0], rtol=1e-6)


def a_value_running_away_is_pulled_back(ppo_value_loss):
    """If the value has moved away from the return, the unclipped error is the
    larger one, and its gradient is value minus return.

    价值背离回报移动时，未裁剪的误差更大，梯度是价值减回报。
    """
    call = ([2.0], [1.0], [0.5], [1])
    assert_allclose(ppo_value_loss(*call), 0.5 * 1.5**2)
    slopes = ppo_value_loss.grad("values", *call)
    assert_allclose(slopes, [1.5], rtol=1e-6)


def a_small_move_costs_half_the_squared_error(ppo_value_loss):
    """Within clip_eps of the old value, nothing is clipped, and the gradient
    of a single token is value minus return.

    价值离旧值不超过 clip_eps 时不裁剪，单个 token 的梯度就是价值减回报。
    """
    call = ([1.1], [1.0], [4.0], [1])
    assert_allclose(ppo_value_loss(*call), 0.5 * 2.9**2)
    slopes = ppo_value_loss.grad("values", *call)
    assert_allclose(slopes, [-2.9], rtol=1e-6)
    assert_allclose(ppo_value_loss([1.2], [1.0], [4.0], [1]), 0.5 * 2.8**2)
    assert_allclose(ppo_value_loss([1.3], [1.0], [4.0], [1]), 0.5 * 2.8**2)


def clip_eps_of_values_has_the_unit_of_rewards(ppo_value_loss):
    """If rewards are counted in another unit, the loss is the same up to that
    unit squared only when clip_eps is changed with them.

    奖励换一个单位时，clip_eps 也要跟着换，损失才只差单位的平方。
    """
    values, old_values, returns = np.array([[2.0], [1.0], [9.0]])
    loss = ppo_value_loss(values, old_values, returns, [1], 0.5)
    larger = (8 * values, 8 * old_values, 8 * returns, [1])
    assert_allclose(ppo_value_loss(*larger, 4.0), 64 * loss)
    assert abs(ppo_value_loss(*larger, 0.5) - 64 * loss) > 1


def each_value_meets_its_own_return(ppo_value_loss):
    """Values that equal their returns cost nothing: each is compared with its
    own return alone.

    价值都等于各自的回报时损失为 0：每个价值只与自己的回报比较。
    """
    values = np.array([1.0, 2.0, -3.0])
    assert ppo_value_loss(values, values, values, [1, 1, 1]) == 0.0


def value_loss_by_the_definition(ppo_value_loss):
    """The loss averages, over valid tokens alone, half the larger of two
    squared errors: of the value, and of the value held near the old one.

    损失只对有效 token
    求平均；每个取两个平方误差中较大者的一半：一个用价值，一个用限制在旧值附近的价值。
    """
    assert_allclose(ppo_value_loss([1.0], [1.0], [4.0], [1]), 4.5)
    values = np.array([[1.5, -2.0, 0.7], [3.0, 0.2, 9.0]])
    old = np.array([[1.0, -1.0, 0.6], [1.0, 2.0, -9.0]])
    returns = np.array([[3.0, 0.5, 2.0], [0.5, -1.0, 5.0]])
    mask = np.array([[1, 1, 1], [1, 1, 0]])
    total = 0.0
    for row, t in np.argwhere(mask):
        value, before = values[row, t], old[row, t]
        held = min(max(value, before - 0.3), before + 0.3)
        errors = [(each - returns[row, t]) ** 2 for each in (value, held)]
        total += 0.5 * max(errors)
    call = (values, old, returns, mask)
    assert_allclose(ppo_value_loss(*call, 0.3), total / 5)
    slopes = ppo_value_loss.grad("values", *call, 0.3)
    assert_array_equal(slopes[1, 2], 0.0)
    values[1, 2], returns[1, 2] = -20.0, 20.0
    assert_allclose(ppo_value_loss(*call, 0.3), total / 5)


def value_loss_of_nothing_is_zero(ppo_value_loss):
    """Without a valid token the value loss and its gradient are 0.

    没有有效 token 时，价值损失和梯度都是 0。
    """
    call = ([1.0, 2.0], [1.5, 1.0], [3.0, -1.0], [0, 0])
    assert ppo_value_loss(*call) == 0.0
    slopes = ppo_value_loss.grad("values", *call)
    assert_array_equal(slopes, [0.0, 0.0])
    for shape in ((2, 0), (0, 3)):
        assert ppo_value_loss(*[np.ones(shape)] * 4) == 0.0


def old_values_and_returns_get_no_gradient(ppo_value_loss):
    """No gradient reaches the old values or the returns.

    梯度不会传到旧价值和回报。
    """
    call = ([1.5, -2.0], [1.0, -2.1], [3.0, 0.5], [1, 1])
    assert ppo_value_loss.stops("old_values", *call)
    assert ppo_value_loss.stops("returns", *call)


def entropy_is_the_mean_surprise(entropy):
    """The entropy is the mean of -log p over the tokens, weighted by p: ln V
    if all are equally likely.

    熵是各 token 的 -log p 按 p 加权的平均；所有 token 等可能时为 ln V。
    """
    assert_allclose(entropy([0.7, 0.7, 0.7]), np.log(3))
    logits = np.array([[1.0, -2.0, 3.0], [0.5, 0.7, -0.2]])
    probs = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    expected = [sum(-p * np.log(p) for p in row) for row in probs]
    assert_allclose(entropy(logits), expected)


def a_certain_token_has_no_entropy(entropy):
    """Where one token takes all the probability the entropy is 0, not nan,
    even with logits of 1000.

    一个 token 占满全部概率时，熵是 0 而不是 nan，logits 大到 1000 也一样。
    """
    assert_allclose(entropy([1000.0, 0.0, -1000.0]), 0.0, atol=1e-12)
    together = entropy([[0.5, 0.7], [-2000.0, -2001.0]])
    assert_allclose(together[1], entropy([0.0, -1.0]))


def an_impossible_token_adds_no_entropy(entropy):
    """A logit of -inf adds 0 to the entropy and to the gradient.

    logit 为 -inf 的 token，对熵和梯度的贡献都是 0。
    """
    assert_allclose(entropy([1.0, 2.0, -np.inf]), entropy([1.0, 2.0]))
    slopes = entropy.grad("logits", [1.0, 2.0, -np.inf])
    assert_allclose(slopes[:2], entropy.grad("logits", [1.0, 2.0]), rtol=1e-6)
    assert slopes[2] == 0.0


def entropy_gradient_flattens(entropy):
    """The gradient is -p·(log p + entropy): it raises the logit of each token
    whose log p is below its mean, minus the entropy, and lowers the others.

    梯度是 -p·(log p + 熵)：抬高 log p 低于其均值（即 -熵）的 token 的
    logit，压低其余的。
    """
    logits = np.array([1.0, -2.0, 3.0])
    probs = np.exp(logits) / np.exp(logits).sum()
    mean = -(probs * np.log(probs)).sum()
    slopes = entropy.grad("logits", logits)
    assert_allclose(slopes, -probs * (np.log(probs) + mean), rtol=1e-6)
    assert_array_equal(slopes > 0, np.log(probs) < -mean)


def ppo_loss_adds_three_parts(ppo_loss):
    """The loss is the policy loss, plus value_coef times the value loss,
    minus entropy_coef times the entropy.

    总损失等于策略损失，加 value_coef 倍价值损失，减 entropy_coef 倍熵。
    """
    parts = (np.array(2.0), np.array(3.0), np.array(5.0))
    assert_allclose(ppo_loss(*parts, 0.25, 0.5), 2 + 0.75 - 2.5)
    assert_allclose(ppo_loss(*parts), 2 + 1.5 - 0.05)


def more_entropy_lowers_the_loss(ppo_loss):
    """The gradient by the parts is 1, value_coef and -entropy_coef: descent
    raises the entropy.

    损失对三个部分的导数分别是 1、value_coef 和
    -entropy_coef：梯度下降会抬高熵。
    """
    parts = (np.array(2.0), np.array(3.0), np.array(5.0), 0.25, 0.125)
    for name, slope in (
        ("policy_loss", 1.0),
        ("value_loss", 0.25),
        ("entropy", -0.125),
    ):
        slopes = ppo_loss.grad(name, *parts)
        assert_allclose(slopes, slope, rtol=1e-6)


def the_score_comes_with_the_last_token(kl_shaped_rewards):
    """The score is added at the last position with mask 1, and nowhere else.

    分数只加在掩码为 1 的最后一个位置上。
    """
    scores, logps = [3.0, -2.0], [[-1.0, -2.0], [-0.5, -1.5]]
    rewards = kl_shaped_rewards(scores, logps, logps, [[1, 0], [1, 1]])
    assert_allclose(rewards, [[3.0, 0.0], [0.0, -2.0]])
    three = np.full((2, 4), -1.0)
    mask = [[0, 1, 1, 0], [1, 0, 1, 0]]  # prompt in front, hole inside
    rewards = kl_shaped_rewards(scores, three, three, mask)
    assert_allclose(rewards, [[0.0, 0.0, 3.0, 0.0], [0.0, 0.0, -2.0, 0.0]])


def each_token_pays_for_leaving_the_reference(kl_shaped_rewards):
    """Each valid token costs beta times its log-ratio, logps - ref_logps:
    k1.

    每个有效 token 扣除 beta 倍的对数概率比 logps - ref_logps，即 k1。
    """
    logps = np.array([[-1.0, -2.0, -0.5], [-1.5, -0.25, -3.0]])
    ref_logps = np.array([[-1.5, -1.0, -0.75], [-2.5, -0.5, -1.0]])
    call = ([4.0, 6.0], logps[:, :2], ref_logps[:, :2], [[1, 1], [1, 0]])
    rewards = kl_shaped_rewards(*call)
    expected = [[-0.025, 0.05 + 4], [-0.05 + 6, 0.0]]
    assert_allclose(rewards, expected)
    mask = np.array([[1, 1, 1], [1, 1, 0]])
    rewards = kl_shaped_rewards([4.0, 6.0], logps, ref_logps, mask, 0.5)
    total = [4 - 0.5 * (0.5 - 1 + 0.25), 6 - 0.5 * (1 + 0.25)]
    assert_allclose(rewards.sum(-1), total)


def shaped_rewards_ignore_padding(kl_shaped_rewards):
    """Rewards are 0 at masked positions, whatever stands there.

    被掩掉的位置，不论原来是什么，奖励都是 0。
    """
    mask = [[1, 1, 0], [1, 0, 0]]
    rewards = kl_shaped_rewards(
        [1.0, 2.0],
        [[-1.0, -2.0, 20.0], [-1.0, -20.0, np.nan]],
        [[-1.0, -2.0, -20.0], [-1.0, 20.0, 1.0]],
        mask,
    )
    assert_allclose(rewards, [[0.0, 1.0, 0.0], [2.0, 0.0, 0.0]])


def an_empty_response_earns_nothing(kl_shaped_rewards):
    """A row without a valid token gets no score.

    没有有效 token 的行得不到分数。
    """
    logps = [[-1.0, -2.0], [-0.5, -1.5]]
    rewards = kl_shaped_rewards([3.0, 5.0], logps, logps, [[0, 0], [1, 0]])
    assert_allclose(rewards, [[0.0, 0.0], [5.0, 0.0]])
    for rows, length in ((2, 0), (0, 3)):
        empty = np.ones((rows, length))
        made = kl_shaped_rewards(np.ones(rows), empty, empty, empty)
        assert made.shape == (rows, length)


def scores_take_the_dtype_of_logps(kl_shaped_rewards):
    """Scores may be integers, as verifiers give them; they take the dtype of
    logps.

    分数可以是整数（验证器常给整数），会转成 logps 的数据类型。
    """
    logps, ref_logps = [[-1.0, -2.0]], [[-2.0, -1.0]]
    rewards = kl_shaped_rewards([1], logps, ref_logps, [[1, 1]], 0.25)
    assert_allclose(rewards, [[-0.25, 1.25]])


def shaped_rewards_carry_no_gradient(kl_shaped_rewards):
    """No gradient passes through the rewards, to the policy, the reference or
    the reward model.

    奖励不传梯度：策略、参考策略和奖励模型都得不到梯度。
    """
    call = ([1.0], [[-1.0, -2.0]], [[-1.5, -1.0]], [[1, 1]])
    for name in ("scores", "logps", "ref_logps"):
        assert kl_shaped_rewards.stops(name, *call)


def undiscounted_returns_charge_later_tokens_too(gae, kl_shaped_rewards):
    """With gamma=1 and lam=1 each token's return is the score minus beta
    times the log-ratios from it to the end.

    gamma=1、lam=1 时，每个 token 的回报等于分数，减去 beta
    乘以从它到末尾的对数概率比之和。
    """
    logps = np.array([[-1.0, -2.0, -0.5]])
    ref_logps = np.array([[-1.5, -1.0, -0.75]])
    rewards = kl_shaped_rewards([4.0], logps, ref_logps, [[1, 1, 1]], 0.5)
    dones = [[0, 0, 1]]
    _, returns = gae(rewards, [[0.5, 0.7, 0.2, 9.0]], dones, 1.0, 1.0)
    to_go = np.cumsum((logps - ref_logps)[:, ::-1], -1)[:, ::-1]
    assert_allclose(returns, 4 - 0.5 * to_go)


def on_target_the_coefficient_stays(adapt_kl_coef):
    """Above the target the coefficient rises, below it falls, on target it
    stays; after horizon steps by the relative error.

    KL 高于目标时系数上升，低于时下降，正好时不变；走满 horizon
    步，变化幅度就是相对误差。
    """
    assert_allclose(adapt_kl_coef(0.5, 6.6, 6.0, 1000, 1000), 0.55)
    assert_allclose(adapt_kl_coef(0.5, 5.4, 6.0, 1000, 1000), 0.45)
    assert_allclose(adapt_kl_coef(0.5, 6.0, 6.0, 1000, 1000), 0.5)


def a_spike_moves_the_coefficient_little(adapt_kl_coef):
    """The relative error is held within 0.2: no KL, however large, moves the
    coefficient by more than 20 percent in one call of horizon steps.

    相对误差限制在 ±0.2 以内：KL 再大，单次调用走满 horizon
    步，系数的变化也不超过 20%。
    """
    assert_allclose(adapt_kl_coef(0.5, 600.0, 6.0, 1000, 1000), 0.6)
    assert_allclose(adapt_kl_coef(0.5, 0.0, 6.0, 1000, 1000), 0.4)


def the_coefficient_moves_with_the_steps_done(adapt_kl_coef):
    """The change is in proportion to num_steps / horizon.

    变化幅度与 num_steps / horizon 成正比。
    """
    assert_allclose(adapt_kl_coef(0.5, 6.6, 6.0, 1000, 500), 0.525)
    assert_allclose(adapt_kl_coef(2.0, 6.6, 6.0, 500, 1000), 2.4)
