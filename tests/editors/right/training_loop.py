"""A classifier, its training and its validation, as tutorials write them."""

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import nn, optim
from rushlight.utils.data import DataLoader, TensorDataset, random_split


class Net(nn.Module):
    def __init__(self, hidden=32, dropout=0.5):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, (3, 3), stride=(1, 1), padding="same")
        self.norm = nn.BatchNorm2d(16)
        self.pool = nn.MaxPool2d(2)
        self.fc1 = nn.Linear(16 * 2 * 2, hidden)
        self.fc2 = nn.Linear(hidden, 10)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.norm(self.conv2(x))))
        x = x.view(-1, 16 * 2 * 2)
        x = self.dropout(F.relu(self.fc1(x)))
        return F.log_softmax(self.fc2(x), dim=1)


def train(model, loader, optimizer, epoch, device):
    model.train()
    total, correct = 0.0, 0
    for batch, (data, target) in enumerate(loader):
        data, target = data.to(device), target.to(device, non_blocking=True)
        optimizer.zero_grad(set_to_none=True)
        output = model(data)
        loss = F.nll_loss(output, target)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        total += loss.item() * data.size(0)
        pred = output.argmax(dim=1, keepdim=True)
        correct += pred.eq(target.view_as(pred)).sum().item()
        if batch % 10 == 0:
            print(f"{epoch} {batch * len(data)}/{len(loader.dataset)} {loss.item():.4f}")
    return total / len(loader.dataset), 100.0 * correct / len(loader.dataset)


@torch.no_grad()
def evaluate(model: nn.Module, loader: DataLoader, device: torch.device) -> float:
    model.eval()
    hits = 0
    for data, target in loader:
        hits += int((model(data.to(device)).argmax(1) == target.to(device)).sum())
    return hits / len(loader)


def main() -> None:
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    images, labels = torch.randn(64, 1, 8, 8), torch.randint(0, 10, (64,))
    dataset = TensorDataset(images, labels)
    train_set, test_set = random_split(dataset, [48, 16], generator=torch.Generator().manual_seed(1))
    train_loader = DataLoader(train_set, batch_size=16, shuffle=True, num_workers=0, drop_last=True)
    test_loader = DataLoader(test_set, batch_size=16)
    model = Net(hidden=16, dropout=0.25).to(device)
    optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4, nesterov=True)
    scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.7)
    best = 0.0
    for epoch in range(1, 3):
        loss, accuracy = train(model, train_loader, optimizer, epoch, device)
        result = evaluate(model, test_loader, device)
        scheduler.step()
        best = max(best, result)
        print(epoch, loss, accuracy, scheduler.get_last_lr()[0], optimizer.param_groups[0]["lr"])
    torch.save(model.state_dict(), "net.pt")


if __name__ == "__main__":
    main()
