"""sentence-transformers: a tiny BERT: encoding, similarity, search, training by losses, saving, loading."""
# requires: sentence-transformers==6.2.0 transformers==5.24.0 accelerate==1.15.0 safetensors==0.8.0

import json

import torch
import transformers
from sentence_transformers import CrossEncoder, InputExample, SentenceTransformer, losses, models, util
from tokenizers import Tokenizer, pre_tokenizers
from tokenizers import models as tokenizer_models
from tokenizers.processors import TemplateProcessing
from transformers import BertConfig, BertForSequenceClassification, BertModel, PreTrainedTokenizerFast

transformers.logging.set_verbosity_error()
words = "[PAD] [CLS] [SEP] [UNK] the a cat dog sat ran on under mat tree big small good bad film song".split()
places = {word: place for place, word in enumerate(words)}
tokenizer = Tokenizer(tokenizer_models.WordLevel(places, unk_token="[UNK]"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer.post_processor = TemplateProcessing(
    single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
)
fast = PreTrainedTokenizerFast(
    tokenizer_object=tokenizer, pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]", unk_token="[UNK]",
    model_max_length=16,
)  # fmt: skip
config = {
    "vocab_size": len(words), "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
    "num_attention_heads": 4, "max_position_embeddings": 16, "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
}  # fmt: skip
torch.manual_seed(0)
BertModel(BertConfig(**config)).save_pretrained("bert")
fast.save_pretrained("bert")
sentences = ["the cat sat on the mat", "a dog ran under a tree", "good film", "bad song", "the small cat ran"]
results = {}

embedding = models.Transformer("bert", max_seq_length=12)
pooling = models.Pooling(embedding.get_embedding_dimension(), pooling_mode="mean")
dense = models.Dense(32, 16, activation_function=torch.nn.Tanh())
torch.manual_seed(1)
model = SentenceTransformer(modules=[embedding, pooling, dense, models.Normalize()], device="cpu")
vectors = model.encode(sentences, convert_to_tensor=True, batch_size=2)
results["vectors"] = vectors.flatten()[::5].tolist()
results["similar"] = model.similarity(vectors, vectors).flatten().tolist()
results["found"] = [
    [each["corpus_id"], each["score"]] for each in util.semantic_search(vectors[:1], vectors, top_k=3)[0]
]
results["groups"] = util.community_detection(vectors, threshold=0.5, min_community_size=1)
results["numpy"] = [str(model.encode("good film").dtype), list(model.encode("good film").shape)]
results["rounded"] = model.encode(sentences, precision="int8", convert_to_numpy=True).sum(0).tolist()

pairs = [InputExample(texts=[sentences[0], sentences[4]], label=0.9), InputExample(texts=sentences[2:4], label=0.2)]
texts = [model.tokenize([pair.texts[side] for pair in pairs]) for side in (0, 1)]
labels = torch.tensor([pair.label for pair in pairs])
for name, loss in {
    "cosine": losses.CosineSimilarityLoss(model),
    "ranking": losses.MultipleNegativesRankingLoss(model),
    "contrastive": losses.ContrastiveLoss(model),
    "cosent": losses.CoSENTLoss(model),
}.items():
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    found = []
    for _ in range(3):
        value = loss(texts, labels)
        optimizer.zero_grad()
        value.backward()
        optimizer.step()
        found.append(value.item())
    results[name] = found

model.save("kept")
loaded = SentenceTransformer("kept", device="cpu")
results["loaded"] = torch.allclose(
    loaded.encode(sentences, convert_to_tensor=True), model.encode(sentences, convert_to_tensor=True)
)
results["modules"] = [type(each).__name__ for each in loaded]

torch.manual_seed(2)
BertForSequenceClassification(BertConfig(num_labels=1, **config)).save_pretrained("cross")
fast.save_pretrained("cross")
cross = CrossEncoder("cross", device="cpu")
results["cross"] = cross.predict([(sentences[0], sentences[1]), (sentences[2], sentences[3])]).tolist()
results["ranks"] = [each["corpus_id"] for each in cross.rank(sentences[0], sentences[1:])]
print(json.dumps(results))
