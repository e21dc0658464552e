"""What the functions of the sft-kl page promise."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

POLICY = np.array([0.6, 0.3, 0.1])
REFERENCE = np.array([0.2, 0.3, 0.5])


def _softmax(logits):
    """Shares by the definition, for small logits only."""
    return np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)


def _kl(here, there):
    return (here * np.log(here / there)).sum(-1)


def _slopes(function, logits):
    """Central differences of a number that depends on a vector."""
    steps = 1e-6 * np.eye(logits.size).reshape(-1, *logits.shape)
    slopes = [function(logits + s) - function(logits - s) for s in steps]
    return np.reshape(slopes, logits.shape) / 2e-6


def _expected(weights, policy):
    """The mean over the policy of weights times grad log-probability."""
    return policy * (weights - policy @ weights)


def log_softmax_is_the_logarithm_of_the_shares(log_softmax):
    """Exponentiated, the result is each logit's share exp(logit) / sum, and
    each row adds up to 1.

    对结果取指数，就得到每个 logit 的占比 exp(logit) / 总和，每行之和为 1。
    """
    logits = np.array([[1.0, -2.0, 3.0], [0.5, 0.7, -0.2]])
    log_probs = log_softmax(logits)
    assert_allclose(np.exp(log_probs), _softmax(logits))
    assert_allclose(np.exp(log_probs).sum(-1), [1.0, 1.0])
    assert_allclose(log_softmax([2, 2, 2, 2]), [-np.log(4)] * 4, rtol=1e-6)


def log_softmax_survives_large_logits(log_softmax):
    """Logits of 1000 do not overflow, and small results are not cut off.

    logits 大到 1000 也不会溢出，很小的结果也没有人为的下限。
    """
    assert_allclose(log_softmax([1000.0, 0.0]), [0.0, -1000.0])
    assert_allclose(log_softmax([-1000.0, -1000.0]), [-np.log(2)] * 2)
    single = log_softmax.at("float32")
    assert_allclose(single([1000.0, 950.0]), [0.0, -50.0], rtol=1e-6)


def log_softmax_keeps_rows_apart(log_softmax):
    """The logits of one row change nothing in another.

    一行的 logits 不影响另一行的结果。
    """
    logits = np.array([[1.0, 2.0], [-2000.0, -2001.0]])
    together = log_softmax(logits)
    for row in range(2):
        assert_allclose(together[row], log_softmax(logits[row]))


def an_impossible_token_has_log_probability_minus_infinity(log_softmax):
    """A logit of -inf gives -inf and leaves the other shares as they are
    without it.

    logit 为 -inf 时结果也是 -inf，其余占比与没有这个 token 时相同。
    """
    log_probs = log_softmax([1.0, -np.inf, 2.0])
    assert log_probs[1] == -np.inf
    assert_allclose(log_probs[[0, 2]], log_softmax([1.0, 2.0]))


def log_softmax_gradient_is_one_hot_minus_probability(log_softmax):
    """The gradient of one log-probability by the logits is 1 at its own token
    minus the probabilities.

    某个 token 的对数概率对 logits 的梯度，等于该 token 的 one-hot
    向量减去概率向量。
    """
    logits = np.array([1.0, -2.0, 3.0])
    slopes = log_softmax.grad("logits", logits, of=(0,))
    assert_allclose(slopes, [1, 0, 0] - _softmax(logits), rtol=1e-6)


def position_t_predicts_token_t_plus_one(token_logps):
    """The logits at position t give the log-probability of the label at t+1.

    位置 t 的 logits 给出 t+1 处标签的对数概率。
    """
    logits = np.array([[[1.0, -2.0], [0.5, 3.0], [9.0, 9.0]]])
    labels = np.array([[0, 1, 0]])
    logps, mask = token_logps(logits, labels)
    shares = _softmax(logits)
    assert_allclose(np.exp(logps), [[shares[0, 0, 1], shares[0, 1, 0]]])
    assert_array_equal(mask, [[True, True]])


def continuations_add_up_to_one(token_logps):
    """Summed over every continuation of the first token, the probabilities
    exp(sum of logps) are 1.

    对首个 token 之后的所有续写求和，概率 exp(logps 之和) 合计为 1。
    """
    logits = np.array([[[1.0, -2.0], [0.5, 3.0], [0.1, 0.2]]])
    total = 0.0
    for rest in np.ndindex(2, 2):
        logps, _ = token_logps(logits, [[0, *rest]])
        total += np.exp(logps.sum())
    assert_allclose(total, 1.0)


def ignored_labels_give_zero(token_logps):
    """Where the label is ignore_index the log-probability is exactly 0 and
    the mask is false.

    标签为 ignore_index 的位置，对数概率恰为 0，掩码为假。
    """
    logits = np.array([[[1.0, -2.0], [0.5, 3.0], [0.1, 0.2]]])
    logps, mask = token_logps(logits, [[0, -100, 1]])
    assert_array_equal(mask, [[False, True]])
    assert logps[0, 0] == 0.0
    logps_of_one, _ = token_logps([[[0.5]] * 3], [[0, -100, 0]])
    assert_array_equal(logps_of_one, [[0.0, 0.0]])
    assert_allclose(np.exp(logps[0, 1]), _softmax(logits)[0, 1, 1])
    logits = np.array(
        [
            [[1.0, -2.0, 0.5], [0.5, 3.0, 1.0], [0.1, 0.2, 0.7]],
            [[0.3, 0.6, -1.0], [1.5, -3.0, 2.0], [0.1, 0.2, 0.7]],
        ]
    )
    labels = np.array([[1, 2, 7], [0, 7, 2]])
    logps, mask = token_logps(logits, labels, 7)
    assert_array_equal(mask, [[True, False], [False, True]])
    shares = _softmax(logits)
    assert_allclose(
        np.exp(logps), [[shares[0, 0, 2], 1.0], [1.0, shares[1, 1, 2]]]
    )


def token_logps_survive_large_logits(token_logps):
    """A label 1000 nats below the best one has log-probability -1000.

    标签的 logit 比最大值低 1000 时，对数概率就是 -1000。
    """
    logps, _ = token_logps([[[1000.0, 0.0], [0.0, 0.0]]], [[0, 1]])
    assert_allclose(logps, [[-1000.0]])


def logits_learn_from_their_next_label_alone(token_logps):
    """A position's gradient is 1 at its next label minus the probabilities;
    it is 0 where that label is ignored, and at the last position.

    每个位置的梯度，等于下一个标签的 one-hot
    向量减去概率向量；该标签被忽略时，以及在最后一个位置，梯度为 0。
    """
    logits = np.array([[[1.0, -2.0], [0.5, 3.0], [0.1, 0.2]]])
    slopes = token_logps.grad("logits", logits, [[0, -100, 1]], of=(0,))
    expected = np.zeros((1, 3, 2))
    expected[0, 1] = [0, 1] - _softmax(logits)[0, 1]
    assert_allclose(slopes, expected, rtol=1e-6, atol=1e-9)


def no_next_token_no_log_probability(token_logps):
    """A batch without a row, a position or a next token gives an empty
    result.

    batch 没有行、没有位置或没有下一个 token 时，结果为空。
    """
    for rows, length, left in ((2, 1, 0), (2, 0, 0), (0, 3, 2)):
        logps, mask = token_logps(
            np.ones((rows, length, 2)), np.ones((rows, length), int)
        )
        assert logps.shape == mask.shape == (rows, left)


def sft_loss_is_the_mean_surprise(sft_loss):
    """The loss is the mean of -log of the probability given to each labelled
    token, in nats.

    损失等于所有有标签 token 的 -log 概率的均值，单位是 nat。
    """
    logits = np.array([[[1.0, -2.0], [0.5, 3.0], [9.0, 9.0]]])
    shares = _softmax(logits)
    wanted = -np.log([shares[0, 0, 1], shares[0, 1, 0]]).mean()
    assert_allclose(sft_loss(logits, [[0, 1, 0]]), wanted)
    even = np.full((1, 3, 2), 0.7)
    assert_allclose(sft_loss(even, [[0, 1, 0]]), np.log(2))


def sft_loss_weighs_tokens_alike(sft_loss):
    """Each labelled token has the same weight, in a long row as in a short
    one.

    每个有标签的 token 权重相同，不论所在的行是长是短。
    """
    easy, hard = np.log1p(np.exp(-2)), np.log1p(np.exp(2))
    logits = np.array([[[2.0]] * 4, [[2.0]] * 4]) * [0.0, 1.0]
    short, long = [1, 0, -100, -100], [0, 1, 1, 1]
    assert_allclose(sft_loss(logits[:1, :2], [[0, 1]]), easy)
    loss = sft_loss(logits, [long, short])
    assert_allclose(loss, (3 * easy + hard) / 4)
    half = [0, 1, -100, -100]
    assert_allclose(sft_loss(logits, [long, half]), easy)


def the_first_label_of_a_row_does_not_count(sft_loss):
    """No logits predict the first token of a row, so its label changes
    nothing.

    没有 logits 预测一行的首个 token，它有没有标签，结果都不变。
    """
    logits = np.array([[[0.0, 2.0], [0.5, 2.0], [0.0, 2.0]]])
    without = sft_loss(logits, [[-100, 1, 1]])
    assert_allclose(sft_loss(logits, [[0, 1, 1]]), without)


def micro_batches_add_up_to_the_batch(sft_loss):
    """With num_items counted over the whole batch, the losses of its parts
    add up to its loss, and so do their gradients.

    num_items 按整个 batch 统计时，各 micro-batch
    的损失之和等于整个 batch 的损失，梯度也是如此。
    """
    logits = np.array([[[0.0, 2.0], [0.5, 2.0]], [[0.0, -1.0], [0.0, 2.0]]])
    labels = np.array([[0, 1], [1, 0]])
    assert_allclose(
        sft_loss(logits[:1], labels[:1], -100, 2)
        + sft_loss(logits[1:], labels[1:], -100, 2),
        sft_loss(logits, labels),
    )
    logits = np.concatenate([logits, logits[::-1]], 1)
    labels = np.array([[0, 1, 1, 0], [1, 0, 5, 5]])
    call = (labels, 5, 4)
    whole, slopes = (
        sft_loss(logits, *call),
        sft_loss.grad("logits", logits, *call),
    )
    parts = [slice(0, 1), slice(1, 2)]
    assert_allclose(whole, sft_loss(logits, labels, 5))
    assert_allclose(
        whole, sft_loss(logits, np.where(labels == 5, -100, labels))
    )
    assert_allclose(
        sum(sft_loss(logits[row], labels[row], 5, 4) for row in parts), whole
    )
    for row in parts:
        alone = sft_loss.grad("logits", logits[row], labels[row], 5, 4)
        assert_allclose(alone, slopes[row], rtol=1e-6, atol=1e-9)


def sft_loss_gradient_is_probability_minus_one_hot(sft_loss):
    """Each position before a labelled token gets the probabilities minus 1 at
    the label, divided by the number of labelled tokens.

    有标签的 token 之前的那个位置，梯度是概率向量减去标签的 one-hot
    向量，再除以有标签的 token 总数。
    """
    logits = np.array([[[1.0, -2.0], [0.5, 3.0], [9.0, 9.0]]])
    slopes = sft_loss.grad("logits", logits, [[0, 1, 0]])
    expected = np.zeros((1, 3, 2))
    expected[0, :2] = (_softmax(logits)[0, :2] - [[0, 1], [1, 0]]) / 2
    assert_allclose(slopes, expected, rtol=1e-6, atol=1e-9)


def prompt_and_padding_teach_nothing(sft_loss):
    """The logits that predict an ignored label neither change the loss nor
    get a gradient.

    预测被忽略标签的那些 logits，既不影响损失，也得不到梯度。
    """
    logits = np.array([[[1.0, -2.0], [0.5, 3.0], [0.7, 0.2], [9.0, 9.0]]])
    labels = np.array([[0, -100, 1, -100]])
    loss = sft_loss(logits, labels)
    slopes = sft_loss.grad("logits", logits, labels)
    assert_array_equal(slopes[0, [0, 2, 3]], np.zeros((3, 2)))
    assert np.abs(slopes[0, 1]).min() > 0.01
    logits[0, [0, 2, 3]] += [20.0, -20.0]
    assert_allclose(sft_loss(logits, labels), loss)


def an_unlabelled_end_is_never_learned(sft_loss):
    """If the end-of-sequence token is labelled -100, nothing pushes its
    probability up; labelled, its logit rises.

    如果结束 token 的标签是 -100，就没有任何梯度抬高它的概率；
    给它标签之后，它的 logit 才会上升。
    """
    logits = np.array([[[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]])
    end = 1
    without = sft_loss.grad("logits", logits, [[0, 0, -100]])
    assert_array_equal(without[0, 1], [0.0, 0.0])
    slopes = sft_loss.grad("logits", logits, [[0, 0, end]])
    assert slopes[0, 1, end] < -0.2


def packed_documents_teach_what_they_teach_apart(sft_loss):
    """Two documents packed into one row, the second one's first label
    ignored, give the loss of the two apart if their logits are the same.

    两篇文档拼进同一行，第二篇的首个标签设为忽略，只要 logits
    相同，损失就与分开计算相同。
    """
    logits = np.array([[[1.0, -2.0], [0.5, 3.0], [0.7, 0.2], [2.0, 1.0]]])
    packed = sft_loss(logits, [[0, 1, -100, 0]])
    apart = [
        sft_loss(logits[:, :2], [[0, 1]], -100, 2),
        sft_loss(logits[:, 2:], [[1, 0]], -100, 2),
    ]
    assert_allclose(packed, sum(apart))
    assert abs(sft_loss(logits, [[0, 1, 1, 0]]) - packed) > 0.1


def averaged_over_data_it_is_entropy_plus_forward_kl(sft_loss):
    """Averaged over the data's next tokens, the loss is the entropy of the
    data plus KL(data || model).

    对数据的下一个 token 求期望，损失等于数据的熵加上 KL(数据 || 模型)。
    """
    logits, data = np.array([1.0, -2.0]), np.array([0.3, 0.7])
    mean = 0.0
    for token, share in enumerate(data):
        mean += share * sft_loss([[logits, [0.5, 0.5]]], [[0, token]])
    own = -(data * np.log(data)).sum()
    assert_allclose(mean, own + _kl(data, _softmax(logits)))


def the_loss_is_not_capped(sft_loss):
    """A label 50 nats below the best one costs 50 and has the full gradient,
    in float32 as well.

    标签的 logit 比最大值低 50，损失就是 50，梯度也完整，float32 同样如此。
    """
    logits, labels = [[[50.0, 0.0], [0.0, 0.0]]], [[0, 1]]
    assert_allclose(sft_loss(logits, labels), 50.0)
    slopes = sft_loss.grad("logits", logits, labels)
    assert_allclose(slopes[0, 0], [1.0, -1.0], rtol=1e-6)
    single = sft_loss.at("float32")
    assert_allclose(single(logits, labels), 50.0, rtol=1e-6)
    assert_allclose(single([[[0.0, 999.0], [0.0, 0.0]]], [[0, 0]]), 999.0)


def no_label_costs_nothing(sft_loss):
    """Without a single labelled token the loss is 0, not nan, and so is the
    gradient.

    一个有标签的 token 都没有时，损失是 0 而不是 nan，梯度也是 0。
    """
    logits = np.array([[[0.1, 0.2], [0.3, 0.4]]])
    assert sft_loss(logits, [[0, -100]]) == 0.0
    assert sft_loss([[[0.5], [0.5]]], [[0, -100]]) == 0.0
    slopes = sft_loss.grad("logits", logits, [[0, -100]])
    assert_array_equal(slopes, np.zeros((1, 2, 2)))
    for rows, length in ((2, 1), (2, 0), (0, 3)):
        labels = np.ones((rows, length), int)
        assert sft_loss(np.ones((rows, length, 2)), labels) == 0.0


def masked_mean_weighs_tokens_alike(masked_mean):
    """Every valid token has the same weight, whatever the length of its row.

    每个有效 token 权重相同，与所在行的长短无关。
    """
    x = np.array([[1.0, 2.0, 3.0], [9.0, 5.0, 7.0]])
    mask = np.array([[1, 1, 1], [1, 0, 0]])
    assert_allclose(masked_mean(x, mask), (1 + 2 + 3 + 9) / 4)
    assert_allclose(masked_mean([4, 2, 9], [1, 1, 0]), 3.0)
    assert_allclose(masked_mean([4.0, 2.0], [1, 0]), 4.0)


def masked_mean_ignores_what_is_masked(masked_mean):
    """What stands at a masked position changes nothing, not even nan, and
    gets no gradient.

    被掩掉的位置上无论是什么值（哪怕是
    nan）都不影响结果，也得不到梯度。
    """
    mask = [1, 0, 1, 0]
    assert_allclose(masked_mean([1.0, 20.0, 3.0, np.nan], mask), 2.0)
    slopes = masked_mean.grad("x", [1.0, 20.0, 3.0, -20.0], mask)
    assert_allclose(slopes, [0.5, 0.0, 0.5, 0.0], rtol=1e-6)


def an_empty_mask_means_zero(masked_mean):
    """Without a valid token the mean is 0, not nan, and so is the gradient.

    没有有效 token 时，均值是 0 而不是 nan，梯度也是 0。
    """
    assert masked_mean([1.0, 2.0], [0, 0]) == 0.0
    slopes = masked_mean.grad("x", [1.0, 2.0], [0, 0])
    assert_array_equal(slopes, [0.0, 0.0])
    for shape in ((2, 0), (0, 3)):
        assert masked_mean(np.ones(shape), np.ones(shape)) == 0.0


def k1_and_k3_average_to_the_kl(kl_k1, kl_k3):
    """Averaged over the policy's tokens, k1 and k3 are exactly the reverse
    KL.

    按策略的概率对 token 求期望，k1 和 k3 都恰好等于反向 KL。
    """
    logps, ref_logps = np.log(POLICY), np.log(REFERENCE)
    for estimate in (kl_k1, kl_k3):
        mean = POLICY @ estimate(logps, ref_logps)
        assert_allclose(mean, _kl(POLICY, REFERENCE))
        both = estimate([logps, ref_logps], [ref_logps, logps])
        means = [POLICY @ both[0], REFERENCE @ both[1]]
        back = _kl(REFERENCE, POLICY)
        assert_allclose(means, [_kl(POLICY, REFERENCE), back])


def k1_of_other_tokens_may_be_negative(kl_k1, kl_k3):
    """If the two likeliest tokens alone are sampled and logps still describe
    the whole policy, k1 may be negative on average; k3 shows nothing.

    只从概率最高的两个 token 里采样，logps 却仍按完整策略计算，k1
    的均值可能为负，而 k3 看不出问题。
    """
    policy, reference = np.array([0.5, 0.3, 0.2]), np.array([0.6, 0.35, 0.05])
    sampled = policy * [1, 1, 0] / policy[:2].sum()
    call = (np.log(policy), np.log(reference))
    assert_allclose(sampled @ kl_k1(*call), -0.1718, atol=1e-4)
    assert 0 < sampled @ kl_k3(*call) < _kl(policy, reference) / 8


def k3_misses_what_the_policy_never_samples(kl_k3):
    """Where the policy gives probability 0 and the reference does not, k3 is
    too small on average, by the reference's probability there.

    策略概率为 0 而参考策略不为 0 的 token，会使 k3
    的均值偏小，偏差就是参考策略在那里的概率。
    """
    policy, reference = np.array([0.7, 0.3]), np.array([0.2, 0.3])
    mean = policy @ kl_k3(np.log(policy), np.log(reference))
    assert_allclose(mean, _kl(policy, reference) - 0.5)


def k2_averages_to_something_near_the_kl(kl_k2):
    """The mean of k2 is not the KL: 0.4916 where that is 0.4982; close to
    the reference the two agree within one percent.

    k2 的期望不等于 KL：KL 为 0.4982 时它是 0.4916；
    靠近参考策略时，两者相差不到百分之一。
    """
    mean = POLICY @ kl_k2(np.log(POLICY), np.log(REFERENCE))
    assert_allclose(
        [mean, _kl(POLICY, REFERENCE)], [0.4916, 0.4982], atol=5e-5
    )
    near = 0.99 * REFERENCE + 0.01 * POLICY
    mean = near @ kl_k2(np.log(near), np.log(REFERENCE))
    assert_allclose(mean, _kl(near, REFERENCE), rtol=1e-2)
    both = kl_k2([[-1.0, -0.5], [-2.0, -3.0]], [[-2.0, -0.5], [-1.0, -0.5]])
    assert_allclose(both, [[0.5, 0.0], [0.5, 3.125]])


def k1_has_either_sign(kl_k1):
    """A single k1 is negative wherever the reference gives the token more
    probability.

    只要参考策略给这个 token 的概率更大，单个 k1 就是负的。
    """
    kl = kl_k1(np.log(POLICY), np.log(REFERENCE))
    assert_array_equal(np.sign(kl), np.sign(POLICY - REFERENCE))
    assert kl.min() < -1


def k2_and_k3_are_never_negative(kl_k2, kl_k3):
    """k2 and k3 are at least 0, and 0 exactly where policy and reference
    agree.

    k2 和 k3 不会是负数，并且恰好在策略与参考策略一致处为 0。
    """
    logps, ref_logps = [-1.0, -2.0, -0.5, -3.0], [-1.0, -0.5, -2.0, -3.25]
    for estimate in (kl_k2, kl_k3):
        kl = estimate(logps, ref_logps)
        assert kl[0] == 0.0
        assert kl[1:].min() > 0.0


def near_the_reference_k1_is_the_noisiest(kl_k1, kl_k2, kl_k3):
    """Close to the reference the standard deviation of k1 is 20 times the KL,
    that of k2 and k3 little more than the KL.

    靠近参考策略时，k1 的标准差约为 KL 的 20 倍，而 k2、k3 的只比 KL 略大。
    """
    near = 0.9 * REFERENCE + 0.1 * POLICY
    for estimate, times in ((kl_k1, 19.5), (kl_k2, 1.2), (kl_k3, 1.1)):
        each = estimate(np.log(near), np.log(REFERENCE))
        spread = np.sqrt(near @ (each - near @ each) ** 2)
        assert_allclose(spread / _kl(near, REFERENCE), times, atol=0.1)


def far_from_the_reference_k3_is_the_noisiest(kl_k1, kl_k3):
    """If the reference likes a token that the policy almost never samples, k3
    is far noisier than k1.

    如果参考策略偏爱一个策略几乎不采样的 token，k3 的噪声远大于 k1。
    """
    far = np.array([0.9, 0.09, 0.01])
    spread = []
    for estimate in (kl_k1, kl_k3):
        each = estimate(np.log(far), np.log(REFERENCE))
        spread.append(np.sqrt(far @ (each - far @ each) ** 2))
    assert spread[1] > 4 * spread[0]


def k1_as_a_loss_teaches_nothing(kl_k1):
    """As a loss, k1 has expected gradient 0.

    k1 直接当损失时，期望梯度为 0。
    """
    weights = kl_k1.grad("logps", np.log(POLICY), np.log(REFERENCE))
    assert_allclose(weights, np.ones(3), rtol=1e-6)
    assert_allclose(_expected(weights, POLICY), np.zeros(3), atol=1e-9)


def k1_as_a_loss_unlearns_old_samples(kl_k1):
    """On tokens of an older policy, k1 as a loss lowers what that policy
    sampled more often than the current one would.

    token 来自旧策略时，k1 当损失会压低旧策略采样偏多的 token。
    """
    old = np.array([0.5, 0.2, 0.3])
    weights = old * kl_k1.grad("logps", np.log(POLICY), np.log(REFERENCE))
    of_logits = weights - POLICY * weights.sum()
    assert_allclose(of_logits, old - POLICY, atol=1e-8)


def k2_as_a_loss_descends_the_reverse_kl(kl_k2):
    """As a loss, k2 has the gradient of the reverse KL, KL(policy ||
    reference), on average.

    k2 当损失时，期望梯度就是反向 KL，即 KL(策略 || 参考) 的梯度。
    """
    weights = kl_k2.grad("logps", np.log(POLICY), np.log(REFERENCE))
    true = _slopes(
        lambda logits: _kl(_softmax(logits), REFERENCE), np.log(POLICY)
    )
    assert_allclose(true, [0.3602, -0.1495, -0.2108], atol=1e-4)
    assert_allclose(_expected(weights, POLICY), true, atol=1e-8)


def k3_as_a_loss_descends_the_forward_kl(kl_k3):
    """As a loss, k3 has the gradient of the forward KL, KL(reference ||
    policy), on average: policy minus reference.

    k3 当损失时，期望梯度是前向 KL，即 KL(参考 || 策略)
    的梯度：策略概率减参考概率。
    """
    weights = kl_k3.grad("logps", np.log(POLICY), np.log(REFERENCE))
    forward = _slopes(
        lambda logits: _kl(REFERENCE, _softmax(logits)), np.log(POLICY)
    )
    assert_allclose(forward, POLICY - REFERENCE, atol=1e-8)
    assert_allclose(_expected(weights, POLICY), forward, atol=1e-8)


def in_the_reward_k1_alone_is_right(kl_k1, kl_k2, kl_k3):
    """In the reward, without a gradient of its own, k1 alone has the gradient
    of the reverse KL; of three signs, k2 has one wrong and k3 two.

    放进奖励（自身不传梯度）时，只有 k1 给出反向 KL 的梯度；三个符号里，k2
    错一个，k3 错两个。
    """
    logps, ref_logps = np.log(POLICY), np.log(REFERENCE)
    true = _slopes(
        lambda logits: _kl(_softmax(logits), REFERENCE), np.log(POLICY)
    )
    k1, k2, k3 = (
        _expected(estimate(logps, ref_logps), POLICY)
        for estimate in (kl_k1, kl_k2, kl_k3)
    )
    assert_allclose(k1, true, atol=1e-8)
    assert_allclose(k2, [0.067, -0.148, 0.080], atol=1e-3)
    assert_allclose(k3, [-0.0398, -0.1495, 0.1892], atol=1e-4)
    assert (np.sign(k2) == np.sign(true)).sum() == 2
    assert (np.sign(k3) == np.sign(true)).sum() == 1


def a_live_ratio_mends_k1_and_k3(kl_k1, kl_k3):
    """Times the ratio policy / sg(policy), k1 and k3 as losses have the
    gradient of the reverse KL.

    乘上概率比 policy / sg(policy) 之后，k1 和 k3 当损失也给出反向 KL 的梯度。
    """
    logps, ref_logps = np.log(POLICY), np.log(REFERENCE)
    true = _slopes(
        lambda logits: _kl(_softmax(logits), REFERENCE), np.log(POLICY)
    )
    for estimate in (kl_k1, kl_k3):
        # The product rule, at a ratio of 1 whose slope is 1.
        weights = estimate(logps, ref_logps)
        weights = weights + estimate.grad("logps", logps, ref_logps)
        assert_allclose(_expected(weights, POLICY), true, atol=1e-8)


class _TwoTokens:
    """All nine answers of two tokens, for the gradient by the first logits."""

    first = np.log(POLICY)
    second = np.log([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6], [0.3, 0.3, 0.4]])
    ref_second = np.log([[0.1, 0.3, 0.6], [0.4, 0.4, 0.2], [0.8, 0.1, 0.1]])

    def __init__(self):
        first, second = np.divmod(np.arange(9), 3)
        self.token = first
        self.chances = POLICY[first] * np.exp(self.second)[first, second]
        self.logps = np.stack(
            [self.first[first], self.second[first, second]], -1
        )
        self.ref_logps = np.stack(
            [np.log(REFERENCE)[first], self.ref_second[first, second]], -1
        )

    def true(self):
        """The gradient of the whole answers' reverse KL."""

        def kl(logits):
            policy = _softmax(logits)
            later = np.exp(self.second)
            later_kl = (later * (self.second - self.ref_second)).sum(-1)
            return _kl(policy, REFERENCE) + policy @ later_kl

        return _slopes(kl, self.first)

    def expected(self, weights):
        """The mean of weights times the first token's grad log-prob."""
        slopes = np.eye(3)[self.token] - POLICY
        return (self.chances * weights) @ slopes


def over_a_sequence_k1_needs_the_reward_to_go(kl_k1):
    """Over a sequence, k1 in the reward has the reverse KL's gradient if each
    token is charged for all later tokens, without discount; its own k1 alone
    is not enough.

    对整个序列而言，k1 放进奖励时，每个 token 要记上自己及其后所有 token 的
    k1（后续累计奖励，不打折扣），梯度才等于反向 KL 的梯度；
    只算自己的 k1 不够。
    """
    both = _TwoTokens()
    own = kl_k1(both.logps[::3, 0], both.ref_logps[::3, 0])
    assert own.shape == (3,)
    kl = kl_k1(both.logps, both.ref_logps)
    assert_allclose(both.expected(kl.sum(-1)), both.true(), atol=1e-8)
    assert np.abs(both.expected(kl[:, 0]) - both.true()).max() > 0.1
    assert np.abs(both.expected(kl @ [1, 0.9]) - both.true()).max() > 0.01


def over_a_sequence_k2_needs_the_sum(kl_k2):
    """Over a sequence, k2 as a loss has the reverse KL's gradient if it is
    taken of the summed log-probabilities; per token it misses what a token
    does to later ones.

    对整个序列而言，要先把对数概率相加再算 k2，当损失时梯度才等于反向 KL
    的梯度；逐 token 算 k2，会漏掉一个 token 对后面 token 的影响。
    """
    both = _TwoTokens()
    own = kl_k2.grad("logps", both.logps[::3, 0], both.ref_logps[::3, 0])
    token = own[both.token]
    assert np.abs(both.expected(token) - both.true()).max() > 0.1
    whole = kl_k2.grad("logps", both.logps.sum(-1), both.ref_logps.sum(-1))
    assert_allclose(both.expected(whole), both.true(), atol=1e-8)


def over_a_sequence_a_live_ratio_is_not_enough(kl_k3):
    """Over a sequence, k3 times each token's live ratio still misses what a
    token does to later ones.

    对整个序列而言，k3 乘上每个 token 的概率比，仍会漏掉它对后面 token 的影响。
    """
    both = _TwoTokens()
    call = (both.logps[::3, 0], both.ref_logps[::3, 0])
    token = (kl_k3(*call) + kl_k3.grad("logps", *call))[both.token]
    first_step = _slopes(
        lambda logits: _kl(_softmax(logits), REFERENCE), both.first
    )
    assert_allclose(both.expected(token), first_step, atol=1e-8)
    assert np.abs(both.expected(token) - both.true()).max() > 0.1


def k3_keeps_small_differences(kl_k3):
    """At a log-ratio of 1/4096, k3 is half its square, in float32 as well.

    对数概率比为 1/4096 时，k3 等于它平方的一半，float32 下也成立。
    """
    small = 2.0**-12
    assert_allclose(kl_k3([-small], [0.0]), [small**2 / 2], rtol=1e-3)
    single = kl_k3.at("float32")
    kl = single([-small, 0.0], [0.0, -small])
    assert_allclose(kl, [small**2 / 2] * 2, rtol=1e-3)


def k3_overflows_where_the_policy_is_far_below(kl_k3):
    """In float32 a token 89 nats less likely than under the reference makes
    k3 infinite, one of 88 does not; 100 nats more likely, k3 is 99.

    float32 下，某个 token 的对数概率比参考策略低 89 nat 时，k3
    是无穷大，低 88 nat 时还不是；高 100 nat 时，k3 是 99。
    """
    single = kl_k3.at("float32")
    assert_array_equal(single([-90.0], [-1.0]), [np.inf])
    assert np.isfinite(single([-89.0], [-1.0])).all()
    assert_allclose(single([-1.0], [-101.0]), [99.0])


def the_reference_gets_no_gradient(kl_k1, kl_k2, kl_k3):
    """No gradient reaches the reference log-probabilities.

    参考策略的对数概率得不到梯度。
    """
    for estimate in (kl_k1, kl_k2, kl_k3):
        assert estimate.stops("ref_logps", [-1.0, -2.0], [-1.5, -0.5])
