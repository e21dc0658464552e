# mistakes: the largest logit is not subtracted first, so large logits overflow
# named: no_maximum
import torch


def log_softmax(logits):
    return logits - torch.log(torch.exp(logits).sum(-1, keepdim=True))
