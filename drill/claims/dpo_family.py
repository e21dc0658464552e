"""What the functions of the dpo-family page promise."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal


def _surprise(x):
    """-log sigmoid(x), for small x only."""
    return np.log(1 + np.exp(-x))


def a_response_is_as_likely_as_its_tokens_together(sequence_logps):
    """The probability of a response is the product of the probabilities of
    its tokens, each row for itself.

    一个回答的概率是它各个 token 概率的乘积，各行互不影响。
    """
    probs = np.array([[0.5, 0.25, 0.125], [0.75, 0.5, 0.25]])
    mask = np.array([[1, 1, 1], [1, 1, 0]])
    sums = sequence_logps(np.log(probs), mask)
    assert_allclose(np.exp(sums), [0.5 * 0.25 * 0.125, 0.75 * 0.5])
    assert_allclose(sequence_logps([-1.0, -2.0], [1, 1]), -3.0)


def prompt_and_padding_are_no_part_of_a_response(sequence_logps):
    """What stands where the mask is 0, in front or behind, changes nothing,
    not even nan, and gets no gradient.

    掩码为 0 的位置，无论在前在后、是什么值（哪怕是
    nan），都不影响结果，也得不到梯度。
    """
    mask = [[0, 1, 1, 0]]
    sums = sequence_logps([[-20.0, -1.0, -2.0, np.nan]], mask)
    assert_allclose(sums, [-3.0])
    for filled in (20.0, np.nan, -np.inf):
        logps = [[filled, -1.0, -2.0, filled]]
        slopes = sequence_logps.grad("logps", logps, mask)
        assert_allclose(slopes, [[0.0, 1.0, 1.0, 0.0]], rtol=1e-6)


def a_response_without_tokens_has_probability_one(sequence_logps):
    """A row without response tokens has log-probability 0.

    没有回答 token 的行，对数概率为 0。
    """
    sums = sequence_logps([[-1.0, -2.0], [-3.0, -4.0]], [[0, 0], [1, 0]])
    assert_array_equal(sums, [0.0, -3.0])
    for shape, left in (((2, 0), (2,)), ((0, 3), (0,))):
        assert sequence_logps(np.ones(shape), np.ones(shape)).shape == left


def the_optimal_policy_stands_for_its_reward(implicit_reward):
    """If the policy is the reference times exp(reward / beta), normalised,
    the implicit reward is that reward up to one constant.

    如果策略等于参考策略乘以 exp(奖励 /
    beta) 再归一化，隐式奖励就等于这个奖励，只差一个常数。
    """
    reward, beta = np.array([1.0, -0.5, 2.0]), 0.5
    reference = np.array([0.2, 0.3, 0.5])
    policy = reference * np.exp(reward / beta)
    policy /= policy.sum()
    found = implicit_reward(np.log(policy), np.log(reference), beta)
    assert_allclose(np.diff(found), np.diff(reward))
    both = implicit_reward([[-1.0, -2.0], [-3.0, -0.5]], [[-2.0, -2.0]] * 2)
    assert_allclose(both, [[0.1, 0.0], [-0.1, 0.15]])
    both = implicit_reward([[-1.0], [-3.0]], [[-2.0], [-3.5]], 2.0)
    assert_allclose(both, [[2.0], [1.0]])


def rewards_give_the_chance_to_be_preferred(implicit_reward, dpo_loss):
    """The loss of a pair is minus the log of the Bradley-Terry probability,
    sigmoid of the difference of the two implicit rewards.

    一个偏好对的损失，是 Bradley-Terry 概率（两个隐式奖励之差的
    sigmoid）的负对数。
    """
    chosen, ref_chosen = np.array([-5.0]), np.array([-6.0])
    rejected, ref_rejected = np.array([-7.0]), np.array([-5.5])
    lead = implicit_reward(chosen, ref_chosen, 0.5)
    lead = lead - implicit_reward(rejected, ref_rejected, 0.5)
    loss = dpo_loss(chosen, rejected, ref_chosen, ref_rejected, 0.5)
    assert_allclose(np.exp(-loss), 1 / (1 + np.exp(-lead[0])))


def the_reference_stays_as_it_is(
    implicit_reward, dpo_loss, ipo_loss, kto_loss
):
    """No gradient reaches the reference log-probabilities.

    梯度不会传到参考策略的对数概率。
    """
    one, two, three, four = np.array([[-5.0], [-7.0], [-6.0], [-5.5]])
    assert implicit_reward.stops("ref_logps", one, two)
    for loss in (dpo_loss, ipo_loss):
        for name in ("ref_chosen_logps", "ref_rejected_logps"):
            assert loss.stops(name, one, two, three, four)
    point = np.array(0.5)
    for name in ("ref_logps", "reference_point"):
        assert kto_loss.stops(name, one, two, [1], point)


def dpo_starts_at_ln_2(dpo_loss):
    """Where the policy is the reference the loss is ln 2, whatever beta is.

    策略等于参考策略时，损失是 ln 2，与 beta 无关。
    """
    chosen, rejected = np.array([-5.0, -3.0]), np.array([-7.0, -2.0])
    for beta in (0.1, 2.0):
        loss = dpo_loss(chosen, rejected, chosen, rejected, beta)
        assert_allclose(loss, np.log(2))


def dpo_by_the_definition(dpo_loss):
    """The loss averages -log sigmoid of beta times the margin: how much
    further the chosen response has moved from the reference.

    损失是 -log sigmoid(beta·间隔) 的均值；间隔是 chosen 与 rejected
    的对数概率比（策略比参考策略）之差。
    """
    loss = dpo_loss([-5.0], [-7.0], [-6.0], [-5.5])
    assert_allclose(loss, _surprise(0.1 * (1 + 1.5)))
    pairs = ([-5.0, -4.0], [-7.0, -2.0], [-6.0, -4.5], [-5.5, -3.0])
    margins = 0.5 * np.array([1 + 1.5, 0.5 - 1])
    assert_allclose(dpo_loss(*pairs, 0.5), _surprise(margins).mean())


def dpo_pushes_hardest_where_the_pair_is_wrong(dpo_loss):
    """The gradient by chosen and rejected is -w and +w over the number of
    pairs, where w is beta times sigmoid of minus beta times the margin.

    对 chosen 与 rejected 的梯度分别是 -w 和 +w 除以偏好对的个数，其中 w =
    beta·sigmoid(-beta·间隔)。
    """
    for chosen, margin in ((-5.0, 2.5), (-9.0, -1.5)):
        call = ([chosen], [-7.0], [-6.0], [-5.5], 0.5)
        weight = 0.5 / (1 + np.exp(0.5 * margin))
        slopes = dpo_loss.grad("chosen_logps", *call)
        assert_allclose(slopes, [-weight], rtol=1e-6)
        slopes = dpo_loss.grad("rejected_logps", *call)
        assert_allclose(slopes, [weight], rtol=1e-6)
    call = ([-5.0, -9.0], [-7.0] * 2, [-6.0] * 2, [-5.5] * 2, 0.5)
    weights = 0.5 / (1 + np.exp(0.5 * np.array([2.5, -1.5])))
    slopes = dpo_loss.grad("chosen_logps", *call)
    assert_allclose(slopes, -weights / 2, rtol=1e-6)


def a_hopeless_pair_costs_its_margin(dpo_loss, simpo_loss):
    """A margin of -1000 costs 1000 and keeps its gradient: -log sigmoid is
    taken without sigmoid.

    间隔为 -1000 时损失就是 1000，梯度也还在：-log sigmoid 不经过
    sigmoid 计算。
    """
    call = ([-1000.0], [0.0], [0.0], [0.0], 1.0)
    assert_allclose(dpo_loss(*call), 1000.0)
    slopes = dpo_loss.grad("chosen_logps", *call)
    assert_allclose(slopes, [-1.0], rtol=1e-6)
    call = ([-1000.0], [0.0], [1.0], [1.0], 1.0, 0.0)
    assert_allclose(simpo_loss(*call), 1000.0)
    slopes = simpo_loss.grad("chosen_logps", *call)
    assert_allclose(slopes, [-1.0], rtol=1e-6)


def swapping_costs_the_margin(dpo_loss):
    """Chosen and rejected swapped, or policy and reference, the loss grows by
    beta times the margin.

    chosen 与 rejected 对调，或策略与参考策略对调，损失都会增加 beta·间隔。
    """
    chosen, rejected = [-5.0], [-7.0]
    ref_chosen, ref_rejected = [-6.0], [-5.5]
    loss = dpo_loss(chosen, rejected, ref_chosen, ref_rejected, 0.5)
    for swapped in (
        (rejected, chosen, ref_rejected, ref_chosen),
        (ref_chosen, ref_rejected, chosen, rejected),
    ):
        assert_allclose(dpo_loss(*swapped, 0.5) - loss, 0.5 * 2.5)


def dpo_sees_the_difference_alone(dpo_loss):
    """If chosen and rejected rise or fall together, the loss stays the same:
    both may lose probability while it falls.

    chosen 与 rejected 同升同降时损失不变：损失下降时，两者的概率可能都在降低。
    """
    call = ([-5.0], [-7.0], [-6.0], [-5.5])
    down = ([-8.0], [-10.0], [-6.0], [-5.5])
    assert_allclose(dpo_loss(*down), dpo_loss(*call))
    further = ([-8.0], [-14.0], [-6.0], [-5.5])
    assert dpo_loss(*further) < dpo_loss(*call)


def noisy_preferences_fix_the_logged_margin(dpo_loss):
    """If a tenth of the preferences is flipped, the best margin times beta is
    ln 9 = 2.197 for every beta; without beta it is 219.7 to 2.197.

    如果有十分之一的偏好是反的，最优的 beta·间隔对任何 beta 都是 ln 9 =
    2.197；不乘 beta，则从 219.7 到 2.197 不等。
    """
    for beta, margin in (
        (0.01, 219.7),
        (0.1, 21.97),
        (0.5, 4.394),
        (1, 2.197),
    ):
        right = ([margin], [0.0], [0.0], [0.0], beta)
        flipped = ([0.0], [margin], [0.0], [0.0], beta)
        slope = 0.9 * dpo_loss.grad("chosen_logps", *right)
        slope = slope + 0.1 * dpo_loss.grad("rejected_logps", *flipped)
        assert_allclose(slope / beta, [0.0], atol=1e-4)


def certain_preferences_make_dpo_run_and_ipo_stop(dpo_loss, ipo_loss):
    """If every preference is the same, DPO's gradient always widens the
    margin; IPO's turns round at 1 / (2 beta).

    偏好完全一致时，DPO 的梯度始终在拉大间隔；IPO 的梯度到 1 / (2
    beta) 就会反向。
    """
    beta, goal = 0.1, 5.0
    for margin in (1.0, 4.0, 6.0, 100.0):
        call = ([margin], [0.0], [0.0], [0.0], beta)
        assert (dpo_loss.grad("chosen_logps", *call) < 0).all()
        slope = ipo_loss.grad("chosen_logps", *call)
        assert_allclose(slope, [2 * (margin - goal)], rtol=1e-5)


def ipo_is_zero_at_its_goal(ipo_loss):
    """The loss is the squared distance of the margin from 1 / (2 beta): 0
    there, and growing on both sides.

    损失是间隔与 1 / (2 beta) 之差的平方：恰好相等时为 0，两边都会增大。
    """
    assert_allclose(ipo_loss([-5.0], [-7.0], [-6.0], [-3.0]), 0.0)
    assert_allclose(ipo_loss([-5.0], [-7.0], [-6.0], [-5.5]), 2.5**2)
    pairs = ([-5.0, -4.0], [-7.0, -2.0], [-6.0, -4.5], [-5.5, -3.0])
    distances = np.array([2.5 - 1, -0.5 - 1])
    assert_allclose(ipo_loss(*pairs, 0.5), (distances**2).mean())


def at_the_reference_ipo_and_kto_cost_a_constant(ipo_loss, kto_loss):
    """Where the policy is the reference, IPO costs 1 / (4 beta^2) and KTO
    half the weight, if the reference point is 0.

    策略等于参考策略时，IPO 的损失是 1 / (4 beta²)；参考点为 0 时，KTO
    的损失是权重的一半。
    """
    pair = ([-5.0], [-7.0], [-5.0], [-7.0])
    for beta in (0.5, 0.1):
        assert_allclose(ipo_loss(*pair, beta), 1 / (4 * beta**2))
    loss = kto_loss([-5.0], [-5.0], [1], np.array(0.0), 0.1, 3.0)
    assert_allclose(loss, 1.5)
    loss = kto_loss([-5.0], [-5.0], [0], np.array(0.0), 0.1, 3.0, 2.0)
    assert_allclose(loss, 1.0)


def kto_and_simpo_are_never_satisfied(kto_loss, simpo_loss):
    """However large the lead, the gradient of KTO and of SimPO still widens
    it.

    领先再多，KTO 与 SimPO 的梯度仍在继续拉大差距。
    """
    for lead in (0.0, 5.0, 15.0):
        call = ([lead], [0.0], [1], np.array(0.0), 1.0)
        assert (kto_loss.grad("logps", *call) < 0).all()
        call = ([lead], [0.0], [1], [1], 1.0, 1.0)
        assert (simpo_loss.grad("chosen_logps", *call) < 0).all()


def ipo_of_sums_is_another_ipo(ipo_loss):
    """For responses of L tokens, the loss of sums is L squared times the loss
    of means with L times the beta: pick one, then pick beta.

    回答长度都是 L 时，用对数概率之和算出的损失，等于用均值、beta 取 L
    倍时的 L² 倍：先选定一种，再定 beta。
    """
    means = np.array([[-0.5], [-0.7], [-0.6], [-0.55]])
    of_sums = ipo_loss(*(8 * means), 0.1)
    of_means = ipo_loss(*means, 0.8)
    assert_allclose(of_sums, 64 * of_means)
    assert abs(ipo_loss(*means, 0.1) - of_sums) > 1


def the_reference_point_is_a_mean_log_ratio(kto_reference_point):
    """The reference point is the mean log-ratio of the batch, without beta.

    参考点是 batch 中对数概率比的均值，不乘 beta。
    """
    point = kto_reference_point([-5.0, -7.0], [-6.0, -7.5])
    assert_allclose(point, 0.75)
    point = kto_reference_point([-5.0, -7.0, -3.0], [-6.0, -6.5, -7.0])
    assert_allclose(point, 1.5)


def the_reference_point_is_never_negative(kto_reference_point):
    """A negative mean counts as 0, because a KL is never negative; single
    log-ratios may be.

    均值为负时按 0 计，因为 KL 不会为负；单个对数概率比可以为负。
    """
    assert kto_reference_point([-5.0, -7.0], [-6.0, -2.0]) == 0.0
    assert_allclose(kto_reference_point([-5.0, -7.0], [-8.0, -6.0]), 1.0)


def the_reference_point_is_a_constant(kto_reference_point):
    """No gradient passes through the reference point.

    梯度不会穿过参考点。
    """
    for name in ("kl_logps", "ref_kl_logps"):
        assert kto_reference_point.stops(name, [-5.0, -7.0], [-6.0, -7.5])


def kto_by_the_definition(kto_loss):
    """A good response costs 1 - sigmoid of beta times its lead over the
    reference point, a bad one 1 - sigmoid of minus that, each by its weight.

    desirable 回答的损失是 1 - sigmoid(beta·(对数概率比 -
    参考点))，undesirable 回答取相反的符号，再各乘权重。
    """
    point = np.array(0.5)
    loss = kto_loss([-5.0], [-6.0], [1], point)
    assert_allclose(loss, 1 - 1 / (1 + np.exp(-0.05)))
    loss = kto_loss([-5.0], [-6.0], [0], point)
    assert_allclose(loss, 1 - 1 / (1 + np.exp(0.05)))
    call = ([-5.0, -4.0, -2.0], [-6.0, -6.5, -1.0], [1, 0, 1], point)
    gains = 0.5 * (np.array([1.0, 2.5, -1.0]) - 0.5) * [1, -1, 1]
    each = np.array([1.5, 2.0, 1.5]) * (1 - 1 / (1 + np.exp(-gains)))
    assert_allclose(kto_loss(*call, 0.5, 1.5, 2.0), each.mean())


def kto_weighs_the_middle_most(kto_loss):
    """The gradient is beta times that of the sigmoid, over the number of
    examples: largest at the reference point, up for good responses and down
    for bad ones.

    梯度是 beta 乘 sigmoid 的导数，再除以样本数：在参考点处最大，抬高
    desirable 回答，压低 undesirable 回答。
    """
    point, beta, sizes = np.array(0.5), 0.5, []
    for ratio in (0.5, 3.0, -2.0):
        call = ([ratio, ratio], [0.0, 0.0], [1, 0], point, beta, 1.0, 2.0)
        share = 1 / (1 + np.exp(-beta * (ratio - 0.5)))
        slope = beta * share * (1 - share) / 2
        slopes = kto_loss.grad("logps", *call)
        assert_allclose(slopes, [-slope, 2 * slope], rtol=1e-5)
        sizes.append(-slopes[0])
    assert sizes[0] > max(sizes[1:])


def kto_gives_up_on_hopeless_examples(kto_loss):
    """A good response far below the reference point costs 1 and has almost no
    gradient; -log sigmoid would keep pulling.

    远低于参考点的 desirable 回答，损失为 1，几乎没有梯度；换成 -log sigmoid，
    梯度则不会衰减。
    """
    call = ([-200.0], [0.0], [1], np.array(0.0))
    assert_allclose(kto_loss(*call), 1.0, rtol=1e-6)
    assert np.abs(kto_loss.grad("logps", *call)).max() < 1e-8
    call = ([-20000.0], [0.0], [0], np.array(0.0))
    assert_allclose(kto_loss(*call), 0.0, atol=1e-12)


def desirable_of_any_kind(kto_loss):
    """Boolean, integer and floating labels give the same result.

    标签用布尔、整数或浮点数表示，结果都一样。
    """
    expected = kto_loss([-5.0, -4.0], [-6.0, -6.5], [1, 0], np.array(0.5))
    for labels in ([True, False], [1.0, 0.0]):
        loss = kto_loss([-5.0, -4.0], [-6.0, -6.5], labels, np.array(0.5))
        assert_array_equal(loss, expected)


def simpo_by_the_definition(simpo_loss):
    """The loss averages -log sigmoid of beta times the difference of the mean
    log-probabilities, minus gamma.

    损失是 -log sigmoid(beta·平均对数概率之差 - gamma) 的均值。
    """
    loss = simpo_loss([-4.0], [-9.0], [4], [6])
    assert_allclose(loss, _surprise(2 * (-1 + 1.5) - 1))
    pairs = ([-4.0, -6.0], [-9.0, -2.0], [4, 3], [6, 4])
    margins = 2.5 * np.array([-1 + 1.5, -2 + 0.5]) - 0.5
    assert_allclose(simpo_loss(*pairs, 2.5, 0.5), _surprise(margins).mean())


def a_response_said_twice_is_no_longer_one(simpo_loss):
    """A response twice as long with twice the log-probability gives the same
    loss: length alone does not change it.

    回答长一倍、对数概率也翻倍，损失不变：单凭长度改变不了损失。
    """
    loss = simpo_loss([-4.0], [-9.0], [4], [6])
    assert_allclose(simpo_loss([-8.0], [-9.0], [8], [6]), loss)
    assert_allclose(simpo_loss([-4.0], [-18.0], [4], [12]), loss)


def simpo_asks_for_a_lead_of_gamma(simpo_loss):
    """At a margin of gamma the loss is ln 2; with beta 2.5, gamma 1.375 and
    a difference of 0.4 it is 0.898.

    间隔恰为 gamma 时损失是 ln 2；beta 取 2.5、gamma 取 1.375、差值为 0.4
    时，损失是 0.898。
    """
    assert_allclose(simpo_loss([-4.0], [-9.0], [4], [6]), np.log(2))
    loss = simpo_loss([-0.6], [-1.0], [1], [1], 2.5, 1.375)
    assert_allclose(loss, 0.898, atol=5e-4)


def simpo_gradient_is_spread_over_the_tokens(simpo_loss):
    """The gradient by a summed log-probability is beta over the length, times
    sigmoid of minus the margin, over the number of pairs.

    对数概率之和的梯度是 beta 除以长度，乘 sigmoid(-间隔)，再除以偏好对的个数。
    """
    call = ([-4.0], [-9.0], [4], [6], 2.5, 0.5)
    weight = 2.5 / (1 + np.exp(2.5 * 0.5 - 0.5))
    slopes = simpo_loss.grad("chosen_logps", *call)
    assert_allclose(slopes, [-weight / 4], rtol=1e-6)
    slopes = simpo_loss.grad("rejected_logps", *call)
    assert_allclose(slopes, [weight / 6], rtol=1e-6)
    call = ([-4.0, -4.0], [-9.0, -9.0], [4, 4], [6, 6], 2.5, 0.5)
    slopes = simpo_loss.grad("chosen_logps", *call)
    assert_allclose(slopes, [-weight / 8] * 2, rtol=1e-6)
