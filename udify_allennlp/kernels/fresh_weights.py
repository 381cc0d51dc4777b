"""Weights that a model takes instead of copying them: half the memory of loading, and its time."""

import torch


class FreshWeights(dict[str, torch.Tensor]):
    """Weights by name that were read for one model and belong to nobody else."""

    def can_be_taken_by(self, model: torch.nn.Module) -> bool:
        """
        Returns whether taking them leaves the same model as copying: no two names share numbers,
        in the model or here, and all are of the type and on the device that the model has.
        """
        theirs = {**dict(model.named_parameters()), **dict(model.named_buffers())}
        shared = len(theirs) < len(_all_tensors(model))
        places = [weight.data_ptr() for weight in self.values() if weight.numel()]
        return (
            not shared
            and len(set(places)) == len(places)
            and all(
                name not in theirs
                or (
                    weight.layout == theirs[name].layout == torch.strided
                    and weight.dtype == theirs[name].dtype
                    and weight.device == theirs[name].device
                    and weight.is_contiguous()
                )
                for name, weight in self.items()
            )
        )


def _all_tensors(model: torch.nn.Module) -> list[torch.Tensor]:
    parameters = [p for _, p in model.named_parameters(remove_duplicate=False)]
    return parameters + [b for _, b in model.named_buffers(remove_duplicate=False)]
