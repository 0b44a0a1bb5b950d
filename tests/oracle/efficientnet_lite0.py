"""EfficientNet-Lite0 in PyTorch's functions, with batch normalisation as it is written."""

# Blocks and stride of each stage.
STAGES = ((1, 1), (2, 2), (2, 2), (3, 2), (3, 1), (4, 2), (1, 1))


def efficientnet_lite0(weights, pictures, *, even=False, epsilon=1e-3):
    """Give the pooled features, shape (n, 1280), of pictures of shape (n, 3, 224, 224).

    `even` pads strided layers by as much before as after, which TensorFlow does not.
    """
    from torch.nn import functional

    def normalised(x, name):
        mean, variance = weights[f"{name}.running_mean"], weights[f"{name}.running_var"]
        gain, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
        return functional.batch_norm(x, mean, variance, gain, bias, training=False, eps=epsilon)

    def convolved(x, name, stride=1):
        weight = weights[f"{name}.weight"]
        kernel, size = weight.shape[-1], x.shape[-1]
        n_out = (size + stride - 1) // stride
        missing = max(0, kernel + stride * (n_out - 1) - size)
        low, high = (kernel // 2,) * 2 if even else (missing // 2, (missing + 1) // 2)
        groups = x.shape[1] // weight.shape[1]
        padded = functional.pad(x, (low, high, low, high))
        return functional.conv2d(padded, weight, stride=stride, groups=groups)

    x = functional.relu6(normalised(convolved(pictures, "_conv_stem", 2), "_bn0"))
    number = 0
    for n_blocks, first_stride in STAGES:
        for place in range(n_blocks):
            block = f"_blocks.{number}."
            y = x
            if number > 0:
                y = functional.relu6(
                    normalised(convolved(y, f"{block}_expand_conv"), f"{block}_bn0")
                )
            stride = first_stride if place == 0 else 1
            y = convolved(y, f"{block}_depthwise_conv", stride)
            y = functional.relu6(normalised(y, f"{block}_bn1"))
            y = normalised(convolved(y, f"{block}_project_conv"), f"{block}_bn2")
            x = x + y if place > 0 else y
            number += 1
    return functional.relu6(normalised(convolved(x, "_conv_head"), "_bn1")).mean(dim=(2, 3))
