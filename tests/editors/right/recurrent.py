"""Results of recurrent layers and of attention are tuples."""

import rushlight as torch
from rushlight import Tensor, nn
from rushlight.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence


class Tagger(nn.Module):
    def __init__(self, vocabulary: int, size: int = 16, tags: int = 4) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, size, padding_idx=0)
        self.lstm = nn.LSTM(size, size, num_layers=2, batch_first=True, bidirectional=True, dropout=0.1)
        self.gru = nn.GRU(2 * size, size, batch_first=True)
        self.rnn = nn.RNN(size, size, nonlinearity="relu", batch_first=True)
        self.attention = nn.MultiheadAttention(size, num_heads=4, dropout=0.1, batch_first=True)
        self.out = nn.Linear(size, tags)

    def forward(self, words: Tensor, state: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        x = self.embedding(words)
        output, (hidden, cell) = self.lstm(x, state)
        output, last = self.gru(output)
        recurrent, _ = self.rnn(output)
        attended, weights = self.attention(recurrent, output, output, need_weights=True)
        scores: Tensor = self.out(attended + recurrent)
        print(hidden.shape, cell.size(0), last[-1].shape, hidden[-1].mean().item())
        return scores, weights


def packed(sequences: list[Tensor]) -> Tensor:
    lengths = torch.tensor([len(each) for each in sequences])
    padded = pad_sequence(sequences, batch_first=True, padding_value=0.0)
    lstm = nn.LSTM(input_size=3, hidden_size=5, batch_first=True)
    sequence = pack_padded_sequence(padded, lengths, batch_first=True, enforce_sorted=False)
    output, (h_n, c_n) = lstm(sequence)
    unpacked, sizes = pad_packed_sequence(output, batch_first=True)
    return unpacked.sum() + h_n.sum() + c_n.sum() + sizes.sum()


def step_by_step(x: Tensor) -> Tensor:
    cell = nn.LSTMCell(3, 4)
    gru = nn.GRUCell(4, 4)
    h, c = torch.zeros(x.shape[1], 4), torch.zeros(x.shape[1], 4)
    outputs = []
    for t in range(x.size(0)):
        h, c = cell(x[t], (h, c))
        outputs.append(gru(h))
    return torch.stack(outputs, dim=0)


def transformer(source: Tensor, target: Tensor) -> Tensor:
    layer = nn.TransformerEncoderLayer(d_model=16, nhead=4, dim_feedforward=32, batch_first=True, activation="gelu")
    encoder = nn.TransformerEncoder(layer, num_layers=2, norm=nn.LayerNorm(16))
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(16, 4, batch_first=True), num_layers=1)
    mask = nn.Transformer.generate_square_subsequent_mask(target.size(1))
    memory = encoder(source, src_key_padding_mask=torch.zeros(source.shape[:2], dtype=torch.bool))
    return decoder(target, memory, tgt_mask=mask)


model = Tagger(10)
scores, weights = model(torch.randint(1, 10, (2, 5)))
loss = nn.CrossEntropyLoss(ignore_index=-1)(scores.flatten(0, 1), torch.zeros(10, dtype=torch.long))
loss.backward()
print(packed([torch.ones(3, 3), torch.ones(2, 3)]), step_by_step(torch.ones(4, 2, 3)).shape)
print(transformer(torch.ones(2, 5, 16), torch.ones(2, 4, 16)).shape, weights.shape)
