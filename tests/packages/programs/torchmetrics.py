"""torchmetrics: metrics of classes, numbers, ranks, images, texts and sounds, in batches."""
# requires: torchmetrics==1.9.0 torchvision==0.28.0

import io
import json

import torch
import torchmetrics
from torchmetrics import MetricCollection, classification, functional, regression
from torchmetrics.wrappers import BootStrapper, ClasswiseWrapper, MinMaxMetric, MultioutputWrapper

found = {}
generator = torch.Generator().manual_seed(0)


def flat(value):
    if isinstance(value, dict):
        return [number for key in sorted(value) for number in flat(value[key])]
    if isinstance(value, (list, tuple)):
        return [number for each in value for number in flat(each)]
    return [float(number) for number in value.detach().flatten()]


def run(name, metric, *batches):
    """Updates by batches, what each call gives, the result, and the result after the state was saved and loaded."""
    calls = [flat(metric(*batch)) for batch in batches]
    metric.persistent(True)
    file = io.BytesIO()
    torch.save(metric.state_dict(), file)
    result = flat(metric.compute())
    file.seek(0)
    assert torch.load(file).keys() == metric.state_dict().keys()
    found[name] = [calls[0][:24], result[:24]]


def probabilities(batch, classes):
    return torch.softmax(torch.randn(batch, classes, generator=generator), 1)


labels = [torch.randint(0, 4, (20,), generator=generator) for _ in range(2)]
scores = [probabilities(20, 4) for _ in range(2)]
multiclass = list(zip(scores, labels, strict=True))
for name in ("Accuracy", "Precision", "Recall", "F1Score", "Specificity", "AUROC", "AveragePrecision", "CohenKappa",
             "ConfusionMatrix", "JaccardIndex", "MatthewsCorrCoef", "CalibrationError", "HammingDistance",
             "StatScores", "ExactMatch", "ROC", "PrecisionRecallCurve", "HingeLoss"):  # fmt: skip
    kind = getattr(classification, f"Multiclass{name}")
    if name == "ExactMatch":
        run(name, kind(num_classes=4), *[(s.argmax(1).reshape(4, 5), t.reshape(4, 5)) for s, t in multiclass])
    else:
        run(name, kind(num_classes=4), *multiclass)
binary = [(s[:, 0], (t == 0).long()) for s, t in multiclass]
for name in ("Accuracy", "F1Score", "AUROC", "ROC", "PrecisionRecallCurve", "CalibrationError", "FBetaScore"):
    options = {"beta": 2.0} if name == "FBetaScore" else {}
    run(f"binary {name}", getattr(classification, f"Binary{name}")(**options), *binary)
multilabel = [((s > 0.2).float() * s, (torch.arange(4) >= t[:, None]).long()) for s, t in multiclass]
for name in ("Accuracy", "F1Score", "RankingLoss", "CoverageError", "AUROC"):
    run(f"multilabel {name}", getattr(classification, f"Multilabel{name}")(num_labels=4), *multilabel)

numbers = [(torch.rand(15, generator=generator) + 0.1, torch.rand(15, generator=generator) + 0.1) for _ in range(2)]
for name in ("MeanSquaredError", "MeanAbsoluteError", "R2Score", "PearsonCorrCoef", "SpearmanCorrCoef",
             "ExplainedVariance", "MeanSquaredLogError", "MeanAbsolutePercentageError", "ConcordanceCorrCoef",
             "KendallRankCorrCoef", "LogCoshError", "TweedieDevianceScore", "CosineSimilarity"):  # fmt: skip
    batches = [(a.reshape(5, 3), b.reshape(5, 3)) for a, b in numbers] if name == "CosineSimilarity" else numbers
    run(name, getattr(regression, name)(), *batches)

queries = torch.tensor([0] * 7 + [1] * 8)
for name in ("RetrievalMAP", "RetrievalMRR", "RetrievalNormalizedDCG", "RetrievalPrecision", "RetrievalHitRate"):
    metric = getattr(torchmetrics.retrieval, name)()
    for value, other in numbers:
        metric.update(value, other > 0.5, indexes=queries)
    found[name] = flat(metric.compute())

images = torch.rand(2, 3, 48, 48, generator=generator)
noisy = (images + 0.1 * torch.rand(images.shape, generator=generator)).clamp(0, 1)
for name in ("peak_signal_noise_ratio", "structural_similarity_index_measure", "universal_image_quality_index",
             "total_variation", "spectral_angle_mapper", "error_relative_global_dimensionless_synthesis"):  # fmt: skip
    arguments = {"total_variation": (noisy,), "peak_signal_noise_ratio": (noisy, images, 1.0)}.get(
        name, (noisy, images)
    )
    found[name] = flat(getattr(functional.image, name)(*arguments))
signal = torch.sin(torch.arange(400) * 0.1).reshape(2, 200)
found["audio"] = flat(
    [
        functional.audio.scale_invariant_signal_distortion_ratio(signal * 0.9 + 0.05, signal),
        functional.audio.signal_noise_ratio(signal * 0.9, signal),
    ]
)
said, meant = ["the cat sat on a mat", "hello world"], ["the cat sat on the mat", "hello there world"]
found["text"] = flat(
    [
        functional.text.word_error_rate(said, meant),
        functional.text.char_error_rate(said, meant),
        functional.text.bleu_score(said, [[each] for each in meant], n_gram=2),
        functional.text.chrf_score(said, [[each] for each in meant]),
    ]
)
found["pairwise"] = flat(
    [
        functional.pairwise_cosine_similarity(scores[0][:3], scores[1][:4]),
        functional.pairwise_euclidean_distance(scores[0][:3], scores[1][:4]),
    ]
)
boxes = torch.tensor([[0.0, 0, 10, 10], [5, 5, 15, 15]])
found["boxes"] = flat(functional.detection.intersection_over_union(boxes, boxes.flip(0) + 1, aggregate=False))

collection = MetricCollection({
    "accuracy": classification.MulticlassAccuracy(4), "recall": classification.MulticlassRecall(4, average="macro"),
}, prefix="val_")  # fmt: skip
for batch in multiclass:
    collection.update(*batch)
found["collection"] = flat(collection.compute())
tracker = torchmetrics.MetricTracker(classification.MulticlassAccuracy(4), maximize=True)
for batch in multiclass:
    tracker.increment()
    tracker.update(*batch)
found["tracker"] = [flat(tracker.compute_all()), float(tracker.best_metric())]
found["classwise"] = flat(ClasswiseWrapper(classification.MulticlassAccuracy(4, average=None))(*multiclass[0]))
found["min and max"] = flat(MinMaxMetric(classification.MulticlassAccuracy(4))(*multiclass[1]))
found["outputs"] = flat(MultioutputWrapper(regression.MeanSquaredError(), 3)(*[v.reshape(5, 3) for v in numbers[0]]))
torch.manual_seed(0)
boot = BootStrapper(regression.MeanSquaredError(), num_bootstraps=4, sampling_strategy="multinomial")
boot.update(*numbers[0])
found["bootstrap"] = flat(boot.compute())
mean = torchmetrics.MeanMetric()
for value, weight in numbers:
    mean.update(value, weight)
found["mean"] = [float(mean.compute()), float((torchmetrics.SumMetric() + 1.0)(numbers[0][0]))]
found["kept apart"] = len(classification.MulticlassAccuracy(4).state_dict())
print(json.dumps(found))
