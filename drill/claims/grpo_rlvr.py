"""What the functions of the grpo-rlvr page promise."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal


def an_advantage_is_a_z_score_in_its_group(group_advantages):
    """Each reward, minus the mean of its group, is divided by the sample
    deviation of the group plus eps.

    每个奖励减去组内均值，再除以组内样本标准差与 eps 之和。
    """
    advantages = group_advantages([[3.0, 1.0]])
    assert_allclose(advantages, [[0.7071, -0.7071]], atol=1e-4)
    rewards = np.array([[1.0, -2.0, 3.0, 0.5], [10.0, 11.0, 12.0, 10.5]])
    advantages = group_advantages(rewards, 0.5, True)
    for group, found in zip(rewards, advantages, strict=True):
        expected = (group - group.mean()) / (group.std(ddof=1) + 0.5)
        assert_allclose(found, expected)


def an_equal_group_has_no_advantage(group_advantages):
    """A group whose rewards are all equal gets exactly 0, for any constant,
    group size (1 included) and dtype.

    组内奖励全部相等时，优势恰为 0，不论是什么常数、组有多大（包括
    1）、什么数据类型。
    """
    assert_array_equal(group_advantages([[0.3] * 8]), np.zeros((1, 8)))
    for dtype in ("float64", "float32"):
        made = group_advantages.at(dtype)
        for value in (0.1, 0.3, 0.7, -1.7, 5.0):
            for size in (1, 3, 8, 13):
                rewards = np.full((2, size), value)
                for scale in (True, False):
                    advantages = made(rewards, 1e-8, scale)
                    assert_array_equal(advantages, np.zeros((2, size)))
    half = group_advantages.at("bfloat16")
    assert_array_equal(half([[0.7] * 13]), np.zeros((1, 13)))


def one_group_may_stand_alone(group_advantages):
    """The rewards of a single prompt may come without the axis of prompts.

    只有一个 prompt 时，奖励可以不带 prompt 那一维。
    """
    for rewards in ([3.0, 1.0, -1.0], [0.3] * 8):
        alone = group_advantages(rewards)
        assert_array_equal(alone, group_advantages([rewards])[0])


def groups_do_not_mix(group_advantages):
    """The rewards of one prompt change nothing in the group of another.

    一个 prompt 的奖励不影响另一个 prompt 的组。
    """
    rewards = np.array([[1.0, 0.0, 0.0], [9.0, 7.0, 8.0]])
    together = group_advantages(rewards)
    for row in range(2):
        assert_allclose(
            together[row], group_advantages(rewards[row : row + 1])[0]
        )


def advantages_of_a_group_add_up_to_zero(group_advantages):
    """In each group the advantages add up to 0, and another origin of the
    rewards changes nothing.

    每组的优势之和为 0；奖励的原点不同，结果也不变。
    """
    rewards = np.array([[1.0, -2.0, 3.0, 0.5]])
    for scale in (True, False):
        advantages = group_advantages(rewards, 1e-4, scale)
        assert_allclose(advantages.sum(), 0.0, atol=1e-12)
        again = group_advantages(rewards + 5, 1e-4, scale)
        assert_allclose(again, advantages)


def rare_successes_weigh_most(group_advantages):
    """Of eight answers with reward 1 or 0, a right one gets 2.47 if it is
    alone, 0.94 if four are right, 0.35 if seven are; a wrong one alone -2.47.

    八个回答的奖励为 1 或 0：只对一个时，它的优势是
    2.47；对四个时是 0.94；对七个时是 0.35，唯一的错误回答是 -2.47。
    """
    for right, expected in ((1, 2.47), (4, 0.94), (7, 0.35)):
        rewards = np.array([[1.0] * right + [0.0] * (8 - right)])
        advantages = group_advantages(rewards)
        assert_allclose(advantages[0, 0], expected, atol=5e-3)
        if right == 7:
            assert_allclose(advantages[0, 7], -2.47, atol=5e-3)


def the_scale_lifts_rare_outcomes_most(group_advantages):
    """The scale multiplies the advantages of a group with one right answer of
    eight by 2.83, those of a group with four by 1.87.

    除以标准差之后，八个回答中只对一个的组，优势放大 2.83 倍；对四个的组放大
    1.87 倍。
    """
    for right, plain, scaled in ((1, 1.75, 4.95), (4, 4.0, 7.48)):
        rewards = np.array([[1.0] * right + [0.0] * (8 - right)])
        unscaled = np.abs(group_advantages(rewards, 1e-4, False)).sum()
        assert_allclose(unscaled, plain)
        total = np.abs(group_advantages(rewards)).sum()
        assert_allclose(total, scaled, atol=5e-3)


def without_the_scale_it_is_nearly_rloo(group_advantages):
    """With scale=False the advantage keeps the unit of the reward; G/(G-1)
    times it is the lead over the mean of the others, RLOO's.

    scale=False 时，优势保留奖励的单位；乘以 G/(G-1)
    就是相对其余回答均值的领先量，即 RLOO 的优势。
    """
    rewards = np.array([[1.0, -2.0, 3.0, 0.5]])
    advantages = group_advantages(rewards, 1e-4, False)
    assert_allclose(advantages, rewards - 0.625)
    for one in range(4):
        others = np.delete(rewards[0], one).mean()
        lead = rewards[0, one] - others
        assert_allclose(4 / 3 * advantages[0, one], lead)


def tiny_leads_stay_tiny(group_advantages):
    """eps is added to the deviation: leads far below 1e-4 are not blown up.

    eps 加在标准差上：远小于 1e-4 的差距不会被放大。
    """
    advantages = group_advantages([[0.0, 1e-6]])
    assert_allclose(advantages, [[-5e-3, 5e-3]], rtol=1e-2)


def rewards_may_be_integers(group_advantages):
    """Integer and boolean rewards, as verifiers give them, work like floats.

    奖励可以是整数或布尔值（验证器常这样给），与浮点数结果相同。
    """
    expected = group_advantages([[1.0, 0.0, 0.0]])
    for rewards in ([[1, 0, 0]], [[True, False, False]]):
        assert_allclose(group_advantages(rewards), expected, rtol=1e-6)


def _four_tokens():
    """Two prompts, two responses each, unequal lengths, every bound met."""
    ratios = np.array(
        [
            [[1.5, 0.5, 1.1, 1.4], [1.5, 0.5, 9.0, 9.0]],
            [[0.9, 1.0, 1.6, 7.0], [0.6, 1.5, 1.05, 0.95]],
        ]
    )
    mask = np.array(
        [[[1, 1, 1, 1], [1, 1, 0, 0]], [[1, 1, 1, 0], [1, 1, 1, 1]]]
    )
    old = -np.linspace(0.5, 3.5, 16).reshape(2, 2, 4)
    ref = old - 0.25 * np.cos(np.arange(16.0)).reshape(2, 2, 4)
    advantages = np.array([[1.5, -1.5], [-0.5, 0.5]])
    return np.log(ratios) + old, old, ref, advantages, mask


def grpo_by_the_definition(grpo_loss):
    """Each response averages its tokens' clipped loss plus beta times k3;
    the loss averages the responses.

    每个回答对自己的 token 求平均：裁剪后的损失加 beta 倍的
    k3；总损失再对各个回答求平均。
    """
    loss = grpo_loss([[[-1.0]]], [[[-1.0]]], [[[-1.0]]], [[3.0]], [[[1]]])
    assert_allclose(loss, -3.0)
    logps, old, ref, advantages, mask = _four_tokens()
    total = 0.0
    for p, g in np.ndindex(2, 2):
        each = []
        for t in np.flatnonzero(mask[p, g]):
            at = (p, g, t)
            ratio = np.exp(logps[at] - old[at])
            held = min(max(ratio, 0.7), 1.3)
            lead = advantages[p, g]
            r = np.exp(ref[at] - logps[at])
            cost = max(-ratio * lead, -held * lead)
            each.append(cost + 0.1 * (r - 1 - np.log(r)))
        total += np.mean(each)
    call = (logps, old, ref, advantages, mask, 0.3, 0.1)
    assert_allclose(grpo_loss(*call), total / 4)


def every_response_weighs_the_same(grpo_loss):
    """Every response has the same weight, and its tokens share it: the longer
    the response, the less each of them counts.

    每个回答的权重相同，由它的 token 均分：回答越长，单个 token 越轻。
    """
    logps = np.full((1, 2, 4), -1.0)
    mask = np.array([[[1, 0, 0, 0], [1, 1, 1, 1]]])
    call = (logps, logps, None, [[1.0, -1.0]], mask, 0.2, 0.0)
    slopes = grpo_loss.grad("logps", *call)
    expected = [[[-1 / 2, 0, 0, 0], [1 / 8] * 4]]
    assert_allclose(slopes, expected, rtol=1e-6, atol=1e-9)


def at_the_first_step_the_loss_is_0_and_the_gradient_is_not(
    group_advantages, grpo_loss
):
    """Where old and new policy agree and beta is 0, the loss is 0, since the
    advantages add up to 0; its gradient is not.

    新旧策略一致且 beta 为 0 时，由于优势之和为 0，损失就是 0，但梯度不是。
    """
    advantages = group_advantages([[1.0, 0.0, 0.0]])
    logps, mask = np.full((1, 3, 2), -1.0), [[[1, 1], [1, 0], [1, 1]]]
    call = (logps, logps, None, advantages, mask, 0.2, 0.0)
    assert_allclose(grpo_loss(*call), 0.0, atol=1e-12)
    slopes = grpo_loss.grad("logps", *call)
    tokens = np.array([2, 1, 2])
    assert_allclose(slopes[0, :, 0], -advantages[0] / tokens / 3, rtol=1e-6)
    assert np.abs(slopes[0, :, 0]).min() > 0.05


def ratios_are_taken_token_by_token(grpo_loss):
    """200 tokens with a log-ratio of 0.005 each are all far inside the bound;
    their product, 2.718, would be clipped at once.

    200 个 token 的对数概率比各为 0.005，都远在界内；若取乘积则是
    2.718，立刻就被裁剪。
    """
    one = np.full((1, 1, 2), -1.0)
    call = (one + 0.005, one, None, [[1.0]], np.ones((1, 1, 2)), 0.2, 0.0)
    assert_allclose(grpo_loss(*call), -np.exp(0.005))
    old = np.full((1, 1, 200), -1.0)
    call = (old + 0.005, old, None, [[1.0]], np.ones((1, 1, 200)), 0.2, 0.0)
    assert_allclose(np.exp((call[0] - old).sum()), np.e)
    slopes = grpo_loss.grad("logps", *call)
    assert_allclose(slopes, np.full((1, 1, 200), -np.exp(0.005) / 200), 1e-6)


def a_token_that_has_overshot_is_clipped(grpo_loss):
    """A token past the bound in its advantage's favour has no gradient; one
    past it the other way has all of it.

    token 沿优势鼓励的方向越界后没有梯度；朝相反方向越界时梯度完整。
    """
    old, mask = [[[0.0]]], [[[1]]]
    for ratio, lead, slope in (
        (1.5, 2.0, 0.0),
        (0.5, 2.0, -1.0),
        (1.5, -2.0, 3.0),
        (0.5, -2.0, 0.0),
    ):
        call = ([[[np.log(ratio)]]], old, None, [[lead]], mask, 0.2, 0.0)
        slopes = grpo_loss.grad("logps", *call)
        assert_allclose(slopes, [[[slope]]], rtol=1e-6, atol=1e-9)
    logps = [[[np.log(1.5)]]]
    assert_allclose(grpo_loss(logps, old, logps, [[2.0]], mask), -2.4)


def the_penalty_is_k3_of_each_token(grpo_loss):
    """With advantages of 0 the loss is beta times the mean k3; a token's
    gradient is beta·(1 - reference/policy), over the tokens of its response
    and over the responses.

    优势为 0 时，损失等于 beta 倍的 k3 均值；每个 token 的梯度是 beta·(1 -
    参考/策略)，再除以该回答的 token 数和回答总数。
    """
    logps = np.array([[[-1.0, -2.0], [-0.5, -3.0]]])
    ref = np.array([[[-1.5, -1.0], [-1.0, -2.5]]])
    call = (logps, logps, ref, [[0.0, 0.0]], np.ones((1, 2, 2)))
    r = np.exp(ref - logps)
    assert_allclose(grpo_loss(*call), 0.04 * (r - 1 - np.log(r)).mean())
    slopes = grpo_loss.grad("logps", *call)
    assert_allclose(slopes, 0.04 * (1 - r) / 2 / 2, rtol=1e-6)


def without_a_penalty_no_reference_is_needed(grpo_loss):
    """With beta 0 the reference may be None, and one that is given plays no
    part.

    beta 为 0 时，参考策略可以传 None；即使传了也不起作用。
    """
    logps = np.array([[[-1.0, -2.0]]])
    call = ([[1.5]], [[[1, 1]]], 0.2, 0.0)
    loss = grpo_loss(logps, logps, None, *call)
    assert_allclose(loss, -1.5)
    assert_allclose(grpo_loss(logps, logps, logps - 3, *call), loss)


def padding_moves_no_response(grpo_loss):
    """What stands at masked positions, be it infinite or nan, changes neither
    the loss nor a gradient.

    被掩掉的位置上无论是什么（无穷大、nan 也罢），既不影响损失，也不影响梯度。
    """
    logps = np.array([[[-1.1, -1.0], [-0.9, -2.0]]])
    old = np.array([[[-1.0, -1.0], [-1.0, -2.0]]])
    mask = [[[1, 0], [1, 1]]]
    call = (old, old - 0.5, [[1.0, -1.0]], mask)
    loss = grpo_loss(logps, *call)
    slopes = grpo_loss.grad("logps", logps, *call)
    assert slopes[0, 0, 1] == 0.0
    for filled in (19.0, 900.0, -900.0, np.nan, -np.inf):
        logps[0, 0, 1] = filled
        assert_allclose(grpo_loss(logps, *call), loss)
        again = grpo_loss.grad("logps", logps, *call)
        assert_allclose(again, slopes, atol=1e-9)


def an_empty_response_counts_as_one(grpo_loss):
    """A response without tokens adds 0 and is counted; without any response
    the loss is 0.

    没有 token 的回答贡献为 0，但仍计入个数；一个回答都没有时，损失为 0。
    """
    logps = np.full((1, 2, 2), -1.0)
    call = (logps, logps, None, [[1.0, 1.0]])
    loss = grpo_loss(*call, [[[1, 1], [0, 0]]], 0.2, 0.0)
    assert_allclose(loss, -0.5)
    for shape in ((0, 2, 3), (2, 0, 3), (2, 2, 0)):
        empty = np.ones(shape)
        call = (empty, empty, None, np.ones(shape[:2]), empty, 0.2, 0.0)
        assert grpo_loss(*call) == 0.0


def samples_rewards_and_reference_get_no_gradient(grpo_loss):
    """No gradient reaches the old log-probabilities, the advantages or the
    reference.

    梯度不会传到旧策略的对数概率、优势和参考策略。
    """
    one = np.array([[[-1.0, -2.0]]])
    call = (one, one - 0.1, one - 0.2, [[1.0]], [[[1, 1]]])
    for name in ("old_logps", "ref_logps", "advantages"):
        assert grpo_loss.stops(name, *call)


def the_loss_is_the_log_chance_to_win(reward_model_loss):
    """The loss averages -log sigmoid of the difference of the two rewards:
    ln 2 if they are equal.

    损失是 -log sigmoid(两个奖励之差) 的平均：两者相等时为 ln 2。
    """
    assert_allclose(reward_model_loss([1.5], [1.5]), np.log(2))
    chosen, rejected = np.array([1.0, -0.5]), np.array([-1.0, 1.5])
    expected = np.log(1 + np.exp(rejected - chosen)).mean()
    assert_allclose(reward_model_loss(chosen, rejected), expected)


def only_differences_of_rewards_count(reward_model_loss):
    """A constant added to both rewards of a pair changes nothing: a reward
    model has no zero.

    一对奖励加上同一个常数，损失不变：奖励模型没有绝对的零点。
    """
    loss = reward_model_loss([1.0, -0.5], [-1.0, 1.5])
    assert_allclose(reward_model_loss([8.0, -3.5], [6.0, -1.5]), loss)


def a_margin_asks_for_a_larger_lead(reward_model_loss):
    """A lead of exactly the margin costs ln 2; the margin is one number, or
    one for each pair.

    领先量恰为 margin 时损失是 ln 2；margin 可以是一个数，也可以每对一个。
    """
    assert_allclose(reward_model_loss([2.0], [1.5], 0.5), np.log(2))
    chosen, rejected = np.array([1.0, -0.5]), np.array([-1.0, 1.5])
    margin = np.array([0.5, 2.0])
    expected = np.log(1 + np.exp(rejected - chosen + margin)).mean()
    loss = reward_model_loss(chosen, rejected, margin)
    assert_allclose(loss, expected)


def a_reward_model_learns_most_from_its_errors(reward_model_loss):
    """The gradient is the probability that the model gives to the rejected
    response, minus for chosen and plus for rejected, over the number of pairs.

    梯度是模型判 rejected 获胜的概率，对 chosen 取负、对 rejected
    取正，再除以偏好对的个数。
    """
    call = ([1.0, -0.5], [-1.0, 1.5])
    wrong = 1 / (1 + np.exp([2.0, -2.0]))
    slopes = reward_model_loss.grad("chosen_rewards", *call)
    assert_allclose(slopes, -wrong / 2, rtol=1e-6)
    slopes = reward_model_loss.grad("rejected_rewards", *call)
    assert_allclose(slopes, wrong / 2, rtol=1e-6)


def a_hopeless_comparison_costs_its_lead(reward_model_loss):
    """A lead of -1000 costs 1000 and keeps its gradient.

    落后 1000 时损失就是 1000，梯度也还在。
    """
    assert_allclose(reward_model_loss([-1000.0], [0.0]), 1000.0)
    slopes = reward_model_loss.grad("chosen_rewards", [-1000.0], [0.0])
    assert_allclose(slopes, [-1.0], rtol=1e-6)
