"""Correct programs that look like mistakes: `rushlight.watch` says nothing about any of them."""

import warnings

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F


@pytest.fixture(autouse=True)
def silent():
    """Every story runs under a watch, and must be without a finding."""
    torch.manual_seed(0)
    with warnings.catch_warnings(), torch.watch() as watch:
        warnings.simplefilter("ignore")
        yield
    assert watch.findings == []


def steps(optimizer, loss_of, count=12, zero=None):
    for step in range(count):
        (zero or optimizer.zero_grad)()
        loss_of(step).backward()
        optimizer.step()


def sgd(*modules):
    return torch.optim.SGD([each for module in modules for each in module.parameters()], lr=0.01)


def test_gradients_are_accumulated_over_parts_of_a_batch():
    model = nn.Linear(3, 1)
    optimizer = sgd(model)
    for _ in range(4):
        optimizer.zero_grad()
        for _ in range(3):
            (model(torch.randn(2, 3)).pow(2).mean() / 3).backward()
        optimizer.step()


@pytest.mark.parametrize("clear", ["zeros", "none", "fill", "fill data", "module"])
def test_ways_to_clear_gradients(clear):
    model = nn.Linear(3, 1)
    optimizer = sgd(model)

    def zero():
        for parameter in model.parameters():
            if clear == "none":
                parameter.grad = None
            elif parameter.grad is not None and clear == "fill":
                parameter.grad.zero_()
            elif parameter.grad is not None and clear == "fill data":
                parameter.grad.data.zero_()
        if clear == "zeros":
            optimizer.zero_grad(set_to_none=False)
        if clear == "module":
            model.zero_grad()

    steps(optimizer, lambda step: model(torch.randn(2, 3)).pow(2).mean(), zero=zero)


def test_two_optimizers_take_turns_through_each_others_parameters():
    painter, critic = nn.Linear(2, 4), nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Linear(4, 1))
    first, second = sgd(critic), sgd(painter)
    for _ in range(8):
        painted = painter(torch.randn(6, 2))
        first.zero_grad()
        loss = critic(painted.detach()).mean() - critic(torch.randn(6, 4)).mean()
        loss.backward()
        first.step()
        second.zero_grad()
        (-critic(painted).mean()).backward()
        second.step()


def test_a_graph_is_kept_for_a_second_loss():
    model, head = nn.Linear(3, 3), nn.Linear(3, 1)
    optimizer = sgd(model, head)
    for _ in range(12):
        hidden = torch.tanh(model(torch.randn(4, 3)))
        optimizer.zero_grad()
        head(hidden).mean().backward(retain_graph=True)
        hidden.pow(2).mean().backward()
        optimizer.step()


def test_features_are_computed_once_and_used_in_every_step():
    features = torch.tanh(nn.Linear(3, 3)(torch.randn(4, 3)))
    head = nn.Linear(3, 1)
    for _ in range(12):
        head(features).mean().backward(retain_graph=True)


def test_a_hidden_state_is_cut_off_at_every_step():
    cell = nn.GRUCell(3, 4)
    optimizer = sgd(cell)
    state = torch.zeros(2, 4)
    for _ in range(12):
        state = cell(torch.randn(2, 3), state.detach())
        optimizer.zero_grad()
        state.pow(2).mean().backward()
        optimizer.step()


def test_losses_of_an_episode_are_summed_and_differentiated_together():
    model = nn.Linear(3, 1)
    optimizer = sgd(model)
    for _ in range(4):
        losses = [model(torch.randn(2, 3)).pow(2).mean() for _ in range(20)]
        optimizer.zero_grad()
        torch.stack(losses).sum().backward()
        optimizer.step()


def test_numbers_and_detached_losses_are_collected():
    model = nn.Linear(3, 1)
    optimizer = sgd(model)
    history, numbers, total = [], [], 0.0
    for _ in range(30):
        loss = model(torch.randn(2, 3)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.append(loss.detach())
        numbers.append(loss.item())
        total += loss.detach()
    assert len(history) == len(numbers) == 30 and total > 0


def test_a_penalty_on_gradients_of_gradients():
    model = nn.Linear(3, 1)
    optimizer = sgd(model)
    for _ in range(8):
        x = torch.randn(4, 3, requires_grad=True)
        (gradient,) = torch.autograd.grad(model(x).tanh().sum(), x, create_graph=True)
        optimizer.zero_grad()
        gradient.pow(2).sum().backward()
        optimizer.step()


def test_parameters_are_updated_by_hand():
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD([model.weight], lr=0.01)
    for _ in range(8):
        model.zero_grad()
        model(torch.randn(4, 3)).pow(2).mean().backward()
        optimizer.step()
        model.bias.data -= 0.01 * model.bias.grad


def test_a_parameter_that_was_beside_others_once():
    first, probe, second = nn.Linear(3, 3), nn.Linear(3, 1), nn.Linear(3, 1)
    optimizer = sgd(first)
    probe(first(torch.randn(4, 3))).sum().backward()
    optimizer.step()
    steps(sgd(second), lambda step: second(torch.randn(4, 3)).pow(2).mean())


def test_a_frozen_backbone():
    backbone, head = nn.Linear(3, 3).requires_grad_(False), nn.Linear(3, 1)
    optimizer = sgd(head)
    steps(optimizer, lambda step: head(backbone(torch.randn(4, 3))).pow(2).mean())


def test_frozen_parameters_are_given_to_the_optimizer():
    model = nn.Sequential(nn.Linear(3, 3).requires_grad_(False), nn.Linear(3, 1))
    optimizer = sgd(model)
    steps(optimizer, lambda step: model(torch.randn(4, 3)).pow(2).mean())


def test_a_layer_that_is_used_now_and_then():
    first, second = nn.Linear(3, 1), nn.Linear(3, 1)
    optimizer = sgd(first, second)
    steps(optimizer, lambda step: (first if step < 9 else second)(torch.randn(4, 3)).pow(2).mean())


def test_a_plain_list_of_layers_that_are_registered_elsewhere():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 1)
            self.order = [self.first, self.second]

        def forward(self, x):
            for layer in self.order:
                x = layer(x)
            return x

    model = Net()
    steps(sgd(model), lambda step: model(torch.randn(4, 3)).pow(2).mean())


def test_a_teacher_hidden_on_purpose():
    class Student(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Linear(3, 1)
            self.teacher = [nn.Linear(3, 1)]

        def forward(self, x):
            with torch.no_grad():
                wanted = self.teacher[0](x)
            return (self.body(x) - wanted).pow(2).mean()

    model = Student()
    steps(sgd(model), lambda step: model(torch.randn(4, 3)))


def test_layers_in_a_list_whose_parameters_the_optimizer_was_given():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = [nn.Linear(3, 3), nn.Linear(3, 1)]
            self.shift = nn.Parameter(torch.zeros(1))

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return x + self.shift

    model = Net()
    optimizer = sgd(model, *model.layers)
    steps(optimizer, lambda step: model(torch.randn(4, 3)).pow(2).mean())


def test_samples_of_a_generator_with_batch_norm_are_made_without_a_graph():
    painter = nn.Sequential(nn.Linear(2, 4), nn.BatchNorm1d(4), nn.Linear(4, 4))
    critic = nn.Linear(4, 1)
    first, second = sgd(painter), sgd(critic)
    for _ in range(6):
        first.zero_grad()
        critic(painter(torch.randn(6, 2))).mean().backward()
        first.step()
        for _ in range(2):
            with torch.no_grad():
                painted = painter(torch.randn(6, 2))
            second.zero_grad()
            critic(painted).mean().backward()
            second.step()


def test_a_validation_in_evaluation_mode():
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.Linear(4, 1))
    optimizer = sgd(model)
    for _ in range(3):
        model.train()
        steps(optimizer, lambda step: model(torch.randn(4, 3)).pow(2).mean(), count=3)
        model.eval()
        with torch.no_grad():
            for _ in range(3):
                model(torch.randn(4, 3))


def test_a_model_without_moods_is_validated_as_it_is():
    model = nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.Dropout(0.0), nn.Linear(4, 1))
    optimizer = sgd(model)
    for _ in range(3):
        steps(optimizer, lambda step: model(torch.randn(4, 3)).pow(2).mean(), count=3)
        with torch.no_grad():
            for _ in range(3):
                model(torch.randn(4, 3))


def test_statistics_of_batch_norm_are_renewed_for_an_averaged_model():
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
    steps(sgd(model), lambda step: model(torch.randn(4, 3)).pow(2).mean(), count=4)
    torch.optim.swa_utils.update_bn([torch.randn(4, 3) for _ in range(4)], model)


def test_batch_norm_is_frozen_in_a_model_that_is_fine_tuned():
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1)).eval()
    steps(sgd(model), lambda step: model(torch.randn(4, 3)).pow(2).mean())


def test_saliency_of_a_trained_model_in_evaluation_mode():
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
    optimizer = sgd(model)
    for _ in range(4):
        steps(optimizer, lambda step: model.train()(torch.randn(4, 3)).pow(2).mean(), count=2)
        model.eval()
        x = torch.randn(4, 3, requires_grad=True)
        torch.autograd.grad(model(x).sum(), x)


def test_distances_of_all_pairs():
    points = torch.randn(6, requires_grad=True)
    optimizer = torch.optim.SGD([points], lr=0.01)
    steps(optimizer, lambda step: (points[:, None] - points).pow(2).mean())
    steps(optimizer, lambda step: torch.exp(-((points.unsqueeze(1) - points) ** 2)).mean())


def test_a_matrix_less_its_row_means():
    x = torch.randn(6, 4, requires_grad=True)
    for _ in range(3):
        ((x - x.mean(dim=1, keepdim=True)) ** 2).mean().backward()
        ((x - x.mean(dim=0)) ** 2).mean().backward()


def test_attention_is_a_softmax_and_the_loss_takes_another():
    model = nn.MultiheadAttention(4, 2, batch_first=True)
    optimizer = sgd(model)
    x, y = torch.randn(2, 3, 4), torch.randint(4, (2, 3))
    steps(optimizer, lambda step: F.cross_entropy(model(x, x, x)[0].transpose(1, 2), y))


def test_distillation_takes_logarithms_of_one_softmax_and_another_as_the_target():
    student, teacher = nn.Linear(3, 4), nn.Linear(3, 4)
    x = torch.randn(5, 3)
    with torch.no_grad():
        wanted = torch.softmax(teacher(x), 1)
    steps(sgd(student), lambda step: F.kl_div(torch.log_softmax(student(x), 1), wanted, reduction="batchmean"))
    steps(sgd(student), lambda step: F.cross_entropy(student(x), wanted))


def test_masked_attention_has_infinities_and_the_loss_has_none():
    scores = torch.randn(4, 4, requires_grad=True)
    for _ in range(3):
        masked = scores.masked_fill(torch.ones(4, 4).triu(1).bool(), float("-inf"))
        torch.softmax(masked, 1).pow(2).sum().backward()


def test_overflows_that_kernels_mend():
    x = torch.tensor([-1000.0, 0.0, 1000.0], requires_grad=True)
    for function in (torch.sigmoid, F.softplus, torch.tanh, F.silu, F.gelu, lambda x: torch.logsumexp(x, 0)):
        for _ in range(2):
            function(x).sum().backward()


def test_an_infinity_that_does_not_reach_the_loss():
    x = torch.tensor([0.0, 1.0, 2.0])
    w = torch.ones(3, requires_grad=True)
    for _ in range(3):
        safe = torch.where(x > 0, torch.log(x), torch.zeros(3))
        (safe * w).sum().backward()


def test_data_are_written_through_data_after_the_backward():
    model = nn.Linear(3, 1)
    for _ in range(6):
        model.zero_grad()
        model(torch.randn(4, 3)).pow(2).mean().backward()
        for parameter in model.parameters():
            parameter.data.add_(parameter.grad, alpha=-0.01)
            parameter.data.clamp_(-1, 1)


def test_an_array_is_filled_anew_for_every_step():
    w = torch.ones(3, requires_grad=True)
    buffer = torch.zeros(3)
    array = buffer.numpy()
    for step in range(6):
        array[:] = step
        (w * buffer).sum().backward()


def test_a_copy_of_the_best_state_is_loaded_back():
    model = nn.Linear(3, 1)
    optimizer = sgd(model)
    best = {name: each.clone() for name, each in model.state_dict().items()}
    steps(optimizer, lambda step: model(torch.randn(4, 3)).pow(2).mean())
    model.load_state_dict(best)
    model.load_state_dict(model.state_dict())
    nn.Linear(3, 1).load_state_dict(model.state_dict())


def test_results_of_conversions_are_used_or_are_the_tensor_itself():
    x = torch.ones(3)
    y = x.to(torch.float64).cpu()
    x.to("cpu")
    x.float()
    assert [x.double().sum().item(), y.dtype] == [3.0, torch.float64]


def test_a_schedule_is_shown_without_training():
    model = nn.Linear(3, 1)
    optimizer = sgd(model)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    for _ in range(6):
        optimizer.step()
        schedule.step()


def test_a_closure_computes_the_loss_several_times():
    model = nn.Linear(3, 1)
    optimizer = torch.optim.LBFGS(model.parameters())
    x, y = torch.randn(8, 3), torch.randn(8, 1)

    def closure():
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        return loss

    for _ in range(4):
        optimizer.step(closure)


def test_an_input_is_attacked_between_the_steps():
    model = nn.Linear(3, 2)
    optimizer = sgd(model)
    y = torch.randint(2, (4,))
    for _ in range(6):
        x = torch.randn(4, 3, requires_grad=True)
        F.cross_entropy(model(x), y).backward()
        attacked = (x + 0.1 * x.grad.sign()).detach()
        optimizer.zero_grad()
        F.cross_entropy(model(attacked), y).backward()
        optimizer.step()


def test_overflows_under_a_scaler_of_gradients():
    model = nn.Linear(3, 1)
    optimizer = sgd(model)
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**30)
    for _ in range(4):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.float16):
            output = model(torch.ones(4, 3))
        scaler.scale(output.float().pow(2).mean()).backward()
        scaler.step(optimizer)
        scaler.update()


def test_a_leaf_that_was_switched_on_is_what_is_trained():
    x = torch.zeros(())
    x.requires_grad_()
    optimizer = torch.optim.SGD([x], lr=0.1)
    steps(optimizer, lambda step: x)


def test_a_loss_through_many_calls_of_a_frozen_network():
    judge = nn.Linear(3, 3).requires_grad_(False).eval()
    image = torch.randn(4, 3, requires_grad=True)
    optimizer = torch.optim.SGD([image], lr=0.01)
    for _ in range(4):
        optimizer.zero_grad()
        losses = [judge(image + 0.1 * number).pow(2).mean() for number in range(12)]
        torch.stack(losses).sum().backward()
        optimizer.step()


def test_a_policy_acts_for_an_episode_before_it_learns():
    policy = nn.Sequential(nn.Linear(3, 2), nn.Softmax(dim=0))
    optimizer = sgd(policy)
    for _ in range(3):
        chosen = [policy(torch.randn(3))[torch.randint(2, ()).item()].log() for _ in range(15)]
        optimizer.zero_grad()
        (-torch.stack(chosen).mean()).backward()
        optimizer.step()


def test_losses_are_drawn_and_explained_with_their_gradients():
    w = torch.tensor([2.0, 3.0], requires_grad=True)
    for _ in range(8):
        torch.draw((w * w).sum(), backward=True)
        torch.explain_nan((w * w).sum())


@pytest.mark.filterwarnings("ignore:.*simulated")
def test_a_loss_on_a_gpu_is_read_now_and_then():
    with torch.cuda.simulate():
        model = nn.Linear(3, 1).cuda()
        optimizer, scaler = sgd(model), torch.amp.GradScaler("cuda")
        batches = [torch.randn(4, 3).pin_memory() for _ in range(120)]
        total = torch.zeros((), device="cuda")
        for step, batch in enumerate(batches):
            optimizer.zero_grad()
            loss = model(batch.to("cuda", non_blocking=True)).pow(2).mean()
            scaler.scale(loss).backward()
            scaler.step(optimizer)  # which waits, as PyTorch's does
            scaler.update()
            total += loss.detach()
            if step % 40 == 0:
                print(loss.item())
        assert total.item() > 0
