# mistakes: the sign is turned, long responses get a positive number; the overrun is divided by max_length instead of buffer
# named: ?
import torch


def soft_overlong_penalty(lengths, max_length, buffer):
    n = torch.as_tensor(lengths)
    if not n.is_floating_point():
        n = n.to(torch.get_default_dtype())
    over = n - (max_length - buffer)
    return (over / max_length).clamp(0.0, 1.0)
