"""diffusers: a tiny UNet, VAE and transformer: noise schedules, a training step, pipelines, saving and loading."""
# requires: diffusers==0.42.1 transformers==5.24.0 accelerate==1.15.0 safetensors==0.8.0

import json

import torch
from diffusers import (
    AutoencoderKL,
    DDIMPipeline,
    DDIMScheduler,
    DDPMPipeline,
    DDPMScheduler,
    DiTTransformer2DModel,
    DPMSolverMultistepScheduler,
    EulerDiscreteScheduler,
    FlowMatchEulerDiscreteScheduler,
    StableDiffusionPipeline,
    UNet2DConditionModel,
    UNet2DModel,
)
from diffusers.training_utils import EMAModel
from transformers import CLIPTextConfig, CLIPTextModel, logging

logging.set_verbosity_error()
results = {}


def some(tensor, count=12):
    flat = tensor.detach().float().flatten()
    return flat[:: max(1, len(flat) // count)].tolist()


torch.manual_seed(0)
unet = UNet2DModel(
    sample_size=16, in_channels=3, out_channels=3, layers_per_block=1, block_out_channels=(16, 32), norm_num_groups=8,
    down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D"),
)  # fmt: skip
scheduler = DDPMScheduler(num_train_timesteps=50)
optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-3)
average = EMAModel(unet.parameters(), decay=0.9)
losses = []
for _ in range(3):
    images, noise = torch.randn(2, 3, 16, 16), torch.randn(2, 3, 16, 16)
    steps = torch.randint(0, 50, (2,))
    noisy = scheduler.add_noise(images, noise, steps)
    loss = torch.nn.functional.mse_loss(unet(noisy, steps).sample, noise)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(unet.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    average.step(unet.parameters())
    losses.append(loss.item())
results["losses"] = losses
results["average"] = some(average.shadow_params[0])

unet.eval()
unet.save_pretrained("unet")
again = UNet2DModel.from_pretrained("unet")
with torch.no_grad():
    results["loaded"] = some(again(torch.ones(1, 3, 16, 16), 7).sample)

for name, kind in {"ddpm": DDPMPipeline, "ddim": DDIMPipeline}.items():
    sampler = DDIMScheduler.from_config(scheduler.config) if name == "ddim" else scheduler
    pipe = kind(unet=unet, scheduler=sampler)
    pipe.set_progress_bar_config(disable=True)
    image = pipe(generator=torch.Generator().manual_seed(1), num_inference_steps=4, output_type="np").images
    results[name] = some(torch.from_numpy(image))

sample = torch.randn(1, 3, 8, 8, generator=torch.Generator().manual_seed(2))
for name, kind in {
    "dpm": DPMSolverMultistepScheduler,
    "euler": EulerDiscreteScheduler,
    "flow": FlowMatchEulerDiscreteScheduler,
}.items():
    stepper = kind(num_train_timesteps=50)
    stepper.set_timesteps(5)
    moved = sample * getattr(stepper, "init_noise_sigma", 1.0)
    for time in stepper.timesteps:
        inner = stepper.scale_model_input(moved, time) if name != "flow" else moved
        moved = stepper.step(inner * 0.3, time, moved).prev_sample
    results[name] = some(moved)

# ---- latent diffusion with text
torch.manual_seed(3)
vae = AutoencoderKL(
    in_channels=3, out_channels=3, latent_channels=4, block_out_channels=(16, 32), norm_num_groups=8,
    down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2, sample_size=16,
).eval()  # fmt: skip
conditioned = UNet2DConditionModel(
    sample_size=8, in_channels=4, out_channels=4, layers_per_block=1, block_out_channels=(16, 32), norm_num_groups=8,
    down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"), up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
    cross_attention_dim=32, attention_head_dim=4,
).eval()  # fmt: skip
text = CLIPTextModel(
    CLIPTextConfig(
        vocab_size=40, hidden_size=32, intermediate_size=48, num_hidden_layers=1, num_attention_heads=4,
        max_position_embeddings=8, bos_token_id=1, eos_token_id=2,
    )
).eval()  # fmt: skip
with torch.no_grad():
    posterior = vae.encode(torch.ones(1, 3, 16, 16) / 2).latent_dist
    latent = posterior.sample(generator=torch.Generator().manual_seed(4))
    results["vae"] = [*some(latent), *some(vae.decode(latent).sample), posterior.kl().item()]
    words = text(torch.tensor([[1, 5, 6, 2, 2, 2, 2, 2]])).last_hidden_state
pipe = StableDiffusionPipeline(
    vae=vae, text_encoder=None, tokenizer=None, unet=conditioned, safety_checker=None, feature_extractor=None,
    scheduler=DDIMScheduler(num_train_timesteps=50, clip_sample=False), requires_safety_checker=False,
)  # fmt: skip
pipe.set_progress_bar_config(disable=True)
image = pipe(
    prompt_embeds=words, negative_prompt_embeds=words * 0, num_inference_steps=3, guidance_scale=4.0, height=16,
    width=16, generator=torch.Generator().manual_seed(5), output_type="np",
).images  # fmt: skip
results["stable diffusion"] = some(torch.from_numpy(image))

dit = DiTTransformer2DModel(
    num_attention_heads=2, attention_head_dim=8, in_channels=4, out_channels=8, num_layers=2, sample_size=8,
    patch_size=2, num_embeds_ada_norm=10,
)  # fmt: skip
out = dit(torch.ones(2, 4, 8, 8), timestep=torch.tensor([3, 4]), class_labels=torch.tensor([1, 2])).sample
out.square().mean().backward()
results["dit"] = [*some(out), sum(each.grad.abs().sum().item() for each in dit.parameters() if each.grad is not None)]
print(json.dumps(results))
