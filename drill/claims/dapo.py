"""What the functions of the dapo page promise."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal


def _costs(logps, old, advantages, low, high):
    """Token losses by the definition, one at a time."""
    costs = np.zeros(logps.shape)
    for at in np.ndindex(logps.shape):
        ratio = np.exp(logps[at] - old[at])
        held = min(max(ratio, 1 - low), 1 + high)
        costs[at] = max(-ratio * advantages[at], -held * advantages[at])
    return costs


def _two_prompts():
    """Two prompts, two responses each, unequal lengths, every bound met."""
    ratios = np.array(
        [
            [[1.5, 0.5, 1.25, 1.1], [1.6, 0.6, 9.0, 9.0]],
            [[0.9, 1.0, 3.6, 7.0], [0.5, 1.5, 1.05, 0.75]],
        ]
    )
    mask = np.array(
        [[[1, 1, 1, 1], [1, 1, 0, 0]], [[1, 1, 1, 0], [1, 1, 1, 1]]]
    )
    old = -np.linspace(0.5, 3.5, 16).reshape(2, 2, 4)
    advantages = np.array([[1.5, -1.5], [-0.5, 0.5]])
    return np.log(ratios) + old, old, advantages, mask


def clip_higher_by_the_definition(clip_higher_loss):
    """A token's loss is the worse of two: minus the ratio times the
    advantage, with the ratio as it is or held within 1 - clip_low and
    1 + clip_high.

    token 的损失取两者中较大的一个：负的概率比乘优势，概率比或用原值，或裁剪到
    1 - clip_low 与 1 + clip_high 之间。
    """
    losses = clip_higher_loss(np.log([1.5, 0.5]), [0.0, 0.0], [2.0, 2.0])
    assert_allclose(losses, [-2.56, -1.0])
    logps, old, advantages, _ = _two_prompts()
    each = advantages[..., None]
    losses = clip_higher_loss(logps, old, each, 0.3, 0.45)
    everywhere = np.broadcast_to(each, logps.shape)
    assert_allclose(losses, _costs(logps, old, everywhere, 0.3, 0.45))


def a_rare_token_may_rise_further(clip_higher_loss):
    """A token of probability 0.01 that the advantage favours learns until
    0.0128; with 0.2 it would stop at 0.012.

    优势为正时，概率 0.01 的 token 可以一直学到 0.0128；上界取 0.2 则到
    0.012 就停了。
    """
    old = np.log([0.01, 0.01, 0.01])
    logps = np.log([0.0119, 0.0127, 0.0129])
    call = (logps, old, [1.0, 1.0, 1.0])
    slopes = clip_higher_loss.grad("logps", *call)
    assert_allclose(slopes, [-1.19, -1.27, 0.0], rtol=1e-6, atol=1e-9)
    slopes = clip_higher_loss.grad("logps", *call, 0.2, 0.2)
    assert_allclose(slopes, [-1.19, 0.0, 0.0], rtol=1e-6, atol=1e-9)


def a_common_token_never_meets_the_upper_bound(clip_higher_loss):
    """A token of probability 0.9 is certain at a ratio of 1.11: neither 1.2
    nor 1.28 ever stops it.

    概率 0.9 的 token 升到 1 时概率比也只有 1.11：1.2 和 1.28
    都永远拦不住它。
    """
    call = ([0.0], np.log([0.9]), [1.0])
    assert_allclose(clip_higher_loss(*call), [-1 / 0.9])
    for high in (0.2, 0.28):
        slopes = clip_higher_loss.grad("logps", *call, 0.2, high)
        assert_allclose(slopes, [-1 / 0.9], rtol=1e-6)


def the_lower_bound_stays(clip_higher_loss):
    """A token that the advantage disfavours stops at 0.8 times its old
    probability, whatever clip_high is.

    优势为负时，token 的概率降到旧概率的 0.8 倍就停，与 clip_high 无关。
    """
    call = (np.log([0.81, 0.79]), [0.0, 0.0], [-1.0, -1.0])
    for high in (0.28, 0.2, 5.0):
        slopes = clip_higher_loss.grad("logps", *call, 0.2, high)
        assert_allclose(slopes, [0.81, 0.0], rtol=1e-6, atol=1e-9)


def the_way_back_is_open(clip_higher_loss):
    """A token that moved past a bound against its advantage keeps its whole
    gradient.

    token 朝与优势相反的方向越界时，梯度完整保留。
    """
    call = (np.log([0.5, 1.5]), [0.0, 0.0], [1.0, -1.0])
    slopes = clip_higher_loss.grad("logps", *call)
    assert_allclose(slopes, [-0.5, 1.5], rtol=1e-6)


def sampled_tokens_get_no_gradient(clip_higher_loss):
    """No gradient reaches the old log-probabilities or the advantages.

    梯度不会传到旧策略的对数概率和优势。
    """
    call = (np.log([1.1, 0.9]), [0.0, 0.0], [1.0, -2.0])
    for name in ("old_logps", "advantages"):
        assert clip_higher_loss.stops(name, *call)


def a_token_mean_divides_by_valid_tokens(token_mean):
    """Losses 2, 2 and, in the next row, 1, 1, 1, 1 have the mean 8/6 = 1.333;
    with two padded positions counted it would be 1.0.

    一行损失是 2、2，另一行是 1、1、1、1，均值为 8/6 =
    1.333；若把两个填充位置也数进去，就成了 1.0。
    """
    x = np.array([[2.0, 2.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]])
    mask = np.array([[1, 1, 0, 0], [1, 1, 1, 1]])
    assert_allclose(token_mean(x, mask), 8 / 6)
    assert_allclose(x.mean(), 1.0)
    assert_allclose(token_mean(np.array([x, x + 3]), [mask, mask]), 17 / 6)


def every_token_has_the_same_gradient(token_mean):
    """Each valid token has the gradient 1 over their number, in a long
    sequence as in a short one; padding has 0.

    每个有效 token 的梯度都是有效 token 总数的倒数，长短序列一样；填充的梯度为
    0。
    """
    mask = np.array([[1, 0, 0, 0], [1, 1, 1, 1]])
    slopes = token_mean.grad("x", np.full((2, 4), 3.0), mask)
    assert_allclose(slopes, mask / 5, rtol=1e-6, atol=1e-9)


def parts_need_the_tokens_of_the_whole(token_mean):
    """The mean over a split batch is the mean of the parts weighted by their
    tokens; the plain mean of the parts is another number.

    把 batch 拆开时，整体均值等于各部分均值按 token
    数加权；直接对各部分均值求平均，结果就不同。
    """
    one, other = np.array([[2.0, 4.0]]), np.array([[1.0, 1.0]])
    masks = np.array([[1, 0]]), np.array([[1, 1]])
    means = token_mean(one, masks[0]), token_mean(other, masks[1])
    whole = token_mean(np.vstack([one, other]), np.vstack(masks))
    assert_allclose(whole, (1 * means[0] + 2 * means[1]) / 3)
    assert abs(whole - (means[0] + means[1]) / 2) > 0.1


def a_token_mean_ignores_padding(token_mean):
    """What stands at masked positions, be it infinite or nan, changes neither
    the mean nor a gradient; without valid tokens the mean is 0.

    被掩掉的位置上无论是什么（无穷大、nan
    也罢），均值和梯度都不变；没有有效 token 时均值为 0。
    """
    for filled in (7.0, np.inf, -np.inf, np.nan):
        call = ([2.0, 3.0, filled], [1, 1, 0])
        assert_allclose(token_mean(*call), 2.5)
        slopes = token_mean.grad("x", *call)
        assert_allclose(slopes, [0.5, 0.5, 0.0], rtol=1e-6)
    assert token_mean([2.0, 3.0], [0, 0]) == 0.0
    for shape in ((0, 3), (3, 0)):
        assert token_mean(np.ones(shape), np.ones(shape)) == 0.0


def a_sequence_mean_averages_twice(sequence_mean):
    """Losses 2, 2 and, in the next row, 1, 1, 1, 1 have the sequence mean
    1.5: first 2 and 1, then their mean.

    一行损失是 2、2，另一行是 1、1、1、1，序列平均为
    1.5：先得到 2 和 1，再求平均。
    """
    x = np.array([[2.0, 2.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]])
    mask = np.array([[1, 1, 0, 0], [1, 1, 1, 1]])
    assert_allclose(sequence_mean(x, mask), 1.5)
    x = np.array([x, [[1.0, 4.0, 7.0, 9.0], [-2.0, 5.0, 5.0, 5.0]]])
    mask = np.array([mask, [[1, 1, 1, 0], [1, 0, 0, 0]]])
    assert_allclose(sequence_mean(x, mask), (2 + 1 + 4 - 2) / 4)


def every_sequence_shares_one_weight(sequence_mean):
    """All sequences have the same weight, and the tokens of each share it:
    one in ten has a tenth of the gradient of one alone.

    每个序列的权重相同，由它的 token 均分：十个 token
    中的一个，梯度只有独占一个序列的 token 的十分之一。
    """
    mask = np.array([[1, 0], [1, 1]])
    slopes = sequence_mean.grad("x", np.full((2, 2), 3.0), mask)
    assert_allclose(slopes, [[1 / 2, 0], [1 / 4] * 2], 1e-6, 1e-9)
    mask = np.array([[1] + [0] * 9, [1] * 10])
    slopes = sequence_mean.grad("x", np.full((2, 10), 3.0), mask)
    assert_allclose(slopes[0, 0], 10 * slopes[1, 0], rtol=1e-6)


def a_sequence_mean_ignores_padding(sequence_mean):
    """What stands at masked positions, be it infinite or nan, changes neither
    the mean nor a gradient.

    被掩掉的位置上无论是什么（无穷大、nan 也罢），均值和梯度都不变。
    """
    mask = [[1, 1, 0], [1, 0, 0]]
    for filled in (7.0, np.inf, -np.inf, np.nan):
        x = [[2.0, 3.0, filled], [4.0, filled, filled]]
        assert_allclose(sequence_mean(x, mask), 3.25)
        slopes = sequence_mean.grad("x", x, mask)
        expected = [[0.25, 0.25, 0.0], [0.5, 0.0, 0.0]]
        assert_allclose(slopes, expected, rtol=1e-6)


def an_empty_sequence_is_counted(sequence_mean):
    """A sequence without valid tokens adds 0 and is counted; without any
    sequence the mean is 0.

    没有有效 token 的序列贡献为 0，但仍计入个数；一个序列都没有时，均值为 0。
    """
    mean = sequence_mean([[2.0, 4.0], [5.0, 5.0]], [[1, 1], [0, 0]])
    assert_allclose(mean, 1.5)
    for shape in ((0, 3), (3, 0), (2, 0, 3)):
        assert sequence_mean(np.ones(shape), np.ones(shape)) == 0.0


def equal_lengths_make_both_means_equal(token_mean, sequence_mean):
    """Where all sequences have the same length, both means agree; else a
    token mean weighs each sequence by its length.

    所有序列等长时，两种均值相等；否则 token 平均等于按长度给序列加权。
    """
    x = np.array([[1.0, 2.0, 4.0], [8.0, 3.0, -1.0]])
    mask = np.array([[1, 1, 0], [0, 1, 1]])
    assert_allclose(token_mean(x, mask), sequence_mean(x, mask))
    mask = np.array([[1, 0, 0], [1, 1, 1]])
    means = [sequence_mean(x[row], mask[row]) for row in range(2)]
    assert_allclose(token_mean(x, mask), (1 * means[0] + 3 * means[1]) / 4)
    assert_allclose(sequence_mean(x, mask), np.mean(means))


def a_prompt_stays_if_some_are_right_and_some_wrong(dynamic_sampling_mask):
    """A prompt is kept if at least one response is right and at least one is
    wrong, and only then.

    一个 prompt 当且仅当至少有一个回答对、至少有一个回答错时保留。
    """
    keep = dynamic_sampling_mask([[1, 0, 0], [1, 1, 1]])
    assert_array_equal(keep, [True, False])
    every = np.array(list(np.ndindex(2, 2, 2, 2)))
    keep = dynamic_sampling_mask(every)
    assert keep.dtype == bool
    assert_array_equal(keep, [0 < sum(group) < 4 for group in every])


def no_group_is_too_easy_or_too_hard(dynamic_sampling_mask):
    """One right answer of 64 is enough to be kept, and so is one wrong one.

    64 个回答里只对一个就足以保留，只错一个也一样。
    """
    assert dynamic_sampling_mask([1] + [0] * 7)
    rare = np.array([[1] + [0] * 63])
    assert_array_equal(dynamic_sampling_mask(rare), [True])
    assert_array_equal(dynamic_sampling_mask(1 - rare), [True])


def signs_will_do(dynamic_sampling_mask):
    """Correctness may be given as +1 and -1: only above 0 is right.

    正确与否也可以用 +1 和 -1 表示：大于 0 才算对。
    """
    few = np.array([[1.0, -1.0, -1.0], [-1.0, -1.0, -1.0]])
    assert_array_equal(dynamic_sampling_mask(few), [True, False])
    assert_array_equal(dynamic_sampling_mask(-few), [True, False])


def different_rewards_are_no_signal(dynamic_sampling_mask):
    """Four wrong answers with the shaped rewards -1, -1.3, -1, -1.6 differ,
    with a deviation of 0.287, and are still all wrong: dropped.

    四个错误回答的奖励经长度惩罚后为 -1、-1.3、-1、-1.6，标准差有
    0.287，但仍是全错，应当丢弃。
    """
    rewards = np.array([[-1.0, -1.3, -1.0, -1.6]])
    assert_array_equal(dynamic_sampling_mask(rewards), [False])
    assert_allclose(rewards.std(ddof=1), 0.287, atol=5e-4)


def one_response_has_no_signal(dynamic_sampling_mask):
    """A group of one is never kept.

    组内只有一个回答时一律丢弃。
    """
    assert_array_equal(dynamic_sampling_mask([[1], [0]]), [False, False])


def prompts_are_judged_apart(dynamic_sampling_mask):
    """The responses to one prompt say nothing about another.

    一个 prompt 的回答不影响另一个 prompt 的去留。
    """
    keep = dynamic_sampling_mask([[1, 1], [0, 0]])
    assert_array_equal(keep, [False, False])
    batch = np.array([[[1, 0], [1, 1]], [[0, 0], [0, 1]]])
    keep = dynamic_sampling_mask(batch)
    assert_array_equal(keep, [[True, False], [False, True]])


def the_penalty_has_three_parts(soft_overlong_penalty):
    """With max_length 20480 and buffer 4096 the penalty is 0 up to 16384
    tokens, -0.5 at 18432, -1 from 20480 on; in between each token adds
    -1/4096.

    max_length 为 20480、buffer 为 4096 时：16384 个 token
    以内不罚，18432 处为 -0.5，20480 起为 -1，中间每个 token 多罚 1/4096。
    """
    call = (20480, 4096)
    lengths = np.array([16384, 18432, 20480])
    penalty = soft_overlong_penalty(lengths, *call)
    assert_array_equal(penalty, [0.0, -0.5, -1.0])
    step = 1 / 4096
    below = soft_overlong_penalty(lengths - 1, *call)
    assert_array_equal(below, [0.0, -0.5 + step, -1.0 + step])
    above = soft_overlong_penalty(lengths + 1, *call)
    assert_array_equal(above, [-step, -0.5 - step, -1.0])
    assert_array_equal(soft_overlong_penalty([[0, 99999]], *call), [[0, -1]])


def the_penalty_is_bounded(soft_overlong_penalty):
    """A short response earns nothing, and no length costs more than 1.

    回答再短也没有奖励，再长最多扣 1。
    """
    lengths = np.array([[0, 1, 5], [12, 100, 10**6]])
    assert_array_equal(
        soft_overlong_penalty(lengths, 10, 4), [[0, 0, 0], [-1, -1, -1]]
    )


def one_length_may_be_a_number(soft_overlong_penalty):
    """A length may be a plain number, or an array of any shape.

    长度可以是一个普通的数，也可以是任意形状的数组。
    """
    assert soft_overlong_penalty(9, 10, 4) == -0.75
    lengths = np.array([[6, 7], [8, 9]])
    found = soft_overlong_penalty(lengths, 10, 4)
    assert_array_equal(found, [[0.0, -0.25], [-0.5, -0.75]])
    for at in np.ndindex(2, 2):
        assert soft_overlong_penalty(int(lengths[at]), 10, 4) == found[at]


def lengths_may_be_unsigned(soft_overlong_penalty):
    """Lengths of an unsigned integer type are judged like any others.

    无符号整数类型的长度同样适用。
    """
    lengths = np.array([5, 8, 12], dtype=np.uint8)
    penalty = soft_overlong_penalty(lengths, 10, 4)
    assert_array_equal(penalty, [0.0, -0.5, -1.0])


def dapo_by_the_definition(dapo_loss):
    """The loss is the sum of all valid tokens' clipped losses over the number
    of valid tokens.

    损失等于全部有效 token 的裁剪损失之和，除以有效 token 的总数。
    """
    loss = dapo_loss([[[-1.0]]], [[[-1.0]]], [[3.0]], [[[1]]])
    assert_allclose(loss, -3.0)
    logps, old, advantages, mask = _two_prompts()
    everywhere = np.broadcast_to(advantages[..., None], logps.shape)
    costs = _costs(logps, old, everywhere, 0.3, 0.45)
    loss = dapo_loss(logps, old, advantages, mask, 0.3, 0.45)
    assert_allclose(loss, costs[mask > 0].sum() / 13)


def dapo_is_two_cards_in_one(clip_higher_loss, token_mean, dapo_loss):
    """dapo_loss is clip_higher_loss, averaged by token_mean.

    dapo_loss 就是 clip_higher_loss 再取 token_mean。
    """
    losses = clip_higher_loss([[[0.5, -0.5]]], [[[0.0, 0.0]]], [[[2.0]]])
    loss = dapo_loss([[[0.5, -0.5]]], [[[0.0, 0.0]]], [[2.0]], [[[1, 1]]])
    assert_allclose(loss, token_mean(losses, [[[1, 1]]]))
    logps, old, advantages, mask = _two_prompts()
    losses = clip_higher_loss(logps, old, advantages[..., None])
    loss = dapo_loss(logps, old, advantages, mask)
    assert_allclose(loss, token_mean(losses, mask))


def a_long_response_counts_more(dapo_loss):
    """At the first step every token of a response has the gradient minus
    advantage over the number of valid tokens: a response counts by its
    length.

    第一步时，每个 token 的梯度都是负的优势除以有效 token
    总数：回答的分量与长度成正比。
    """
    logps = np.full((1, 2, 4), -1.0)
    mask = np.array([[[1, 0, 0, 0], [1, 1, 1, 1]]])
    call = (logps, logps, np.array([[1.0, -1.0]]), mask)
    slopes = dapo_loss.grad("logps", *call)
    expected = [[[-1 / 5, 0, 0, 0], [1 / 5] * 4]]
    assert_allclose(slopes, expected, rtol=1e-6, atol=1e-9)


def the_first_loss_need_not_be_0(dapo_loss):
    """At the first step the loss is minus the mean advantage of all valid
    tokens: where lengths differ it need not be 0, though advantages add up
    to 0.

    第一步的损失等于全部有效 token
    优势均值的相反数：优势之和为 0 时，只要长度不同，损失就不一定为 0。
    """
    logps = np.full((1, 2, 4), -1.0)
    mask = np.array([[[1, 0, 0, 0], [1, 1, 1, 1]]])
    loss = dapo_loss(logps, logps, [[1.0, -1.0]], mask)
    assert_allclose(loss, (4 - 1) / 5)
    mask = np.array([[[1, 1, 0, 0], [1, 1, 0, 0]]])
    loss = dapo_loss(logps, logps, [[1.0, -1.0]], mask)
    assert_allclose(loss, 0.0, atol=1e-12)


def dapo_clips_higher_above(dapo_loss):
    """A favoured token learns up to a ratio of 1.28, a disfavoured one down
    to 0.8; past it the other way there is no bound.

    优势为正的 token 概率比升到 1.28 为止，优势为负的降到 0.8
    为止；朝相反方向则没有界限。
    """
    old, mask = [[[0.0]]], [[[1]]]
    for ratio, lead, slope in (
        (1.25, 2.0, -2.5),
        (1.3, 2.0, 0.0),
        (0.5, 2.0, -1.0),
        (0.85, -2.0, 1.7),
        (0.75, -2.0, 0.0),
        (1.5, -2.0, 3.0),
    ):
        call = ([[[np.log(ratio)]]], old, [[lead]], mask)
        slopes = dapo_loss.grad("logps", *call)
        assert_allclose(slopes, [[[slope]]], rtol=1e-6, atol=1e-9)


def nothing_pulls_towards_a_reference(dapo_loss):
    """There is no KL term: where all advantages are 0, so are loss and
    gradient, however far the policy has moved.

    没有 KL 项：优势全为 0 时，策略走得再远，损失和梯度也都是 0。
    """
    logps, old = np.array([[[-1.0, -2.0]]]), np.array([[[-3.0, -0.5]]])
    call = (logps, old, [[0.0]], [[[1, 1]]])
    assert dapo_loss(*call) == 0.0
    assert_array_equal(dapo_loss.grad("logps", *call), np.zeros((1, 1, 2)))


def dapo_ignores_padding(dapo_loss):
    """What stands at masked positions, be it infinite or nan, changes neither
    the loss nor a gradient.

    被掩掉的位置上无论是什么（无穷大、nan 也罢），既不影响损失，也不影响梯度。
    """
    logps = np.array([[[-1.1, -1.0], [-0.9, -2.0]]])
    old = np.array([[[-1.0, -1.0], [-1.0, -2.0]]])
    call = (old, [[1.0, -1.0]], [[[1, 0], [1, 1]]])
    loss = dapo_loss(logps, *call)
    slopes = dapo_loss.grad("logps", logps, *call)
    assert slopes[0, 0, 1] == 0.0
    for filled in (19.0, 900.0, -900.0, np.nan, np.inf, -np.inf):
        for array in (logps, old):
            array[0, 0, 1] = filled
            assert_allclose(dapo_loss(logps, *call), loss)
            again = dapo_loss.grad("logps", logps, *call)
            assert_allclose(again, slopes, atol=1e-9)
            array[0, 0, 1] = -1.0


def a_filtered_response_is_not_counted(dapo_loss):
    """A response whose mask is all 0, as overlong filtering makes it, changes
    nothing: it is not in the sum and not in the count.

    掩码全为 0 的回答（超长过滤的做法）毫无影响：既不进分子，也不进分母。
    """
    logps = np.log([[[1.1, 0.9], [1.2, 0.7]]])
    old, advantages = np.zeros((1, 2, 2)), np.array([[1.0, -2.0]])
    filtered = dapo_loss(logps, old, advantages, [[[1, 1], [0, 0]]])
    alone = dapo_loss(logps[:, :1], old[:, :1], advantages[:, :1], [[[1, 1]]])
    assert_allclose(filtered, alone)
    assert_allclose(filtered, -1.0)


def without_tokens_dapo_is_0(dapo_loss):
    """Without valid tokens, prompts or responses the loss is 0.

    没有有效 token、没有 prompt 或没有回答时，损失为 0。
    """
    logps = np.full((1, 1, 2), -1.0)
    assert dapo_loss(logps, logps, [[1.0]], [[[0, 0]]]) == 0.0
    for shape in ((0, 2, 3), (2, 0, 3), (2, 2, 0)):
        empty = np.ones(shape)
        assert dapo_loss(empty, empty, np.ones(shape[:2]), empty) == 0.0


def dapo_learns_from_new_log_probabilities_alone(dapo_loss):
    """No gradient reaches the old log-probabilities or the advantages.

    梯度不会传到旧策略的对数概率和优势。
    """
    one = np.array([[[-1.0, -2.0]]])
    call = (one, one - 0.1, [[1.0]], [[[1, 1]]])
    for name in ("old_logps", "advantages"):
        assert dapo_loss.stops(name, *call)
