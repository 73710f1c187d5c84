"""A training that may be cut off at any moment: it goes on from its last checkpoint.

    python3 train.py [STEPS]
"""
import json
import os
import sys
import time

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 40
CHECKPOINT = os.environ.get("SBX_JOB_CHECKPOINT", "ckpt/last.json")


def load():
    try:
        with open(CHECKPOINT, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return {"step": 0, "loss": 10.0}


def save(state):
    """What is there is the old one or the new one, never a half."""
    os.makedirs(os.path.dirname(CHECKPOINT), exist_ok=True)
    with open(CHECKPOINT + ".new", "w", encoding="utf-8") as file:
        json.dump(state, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(CHECKPOINT + ".new", CHECKPOINT)


state = load()
print("begins behind step", state["step"])
while state["step"] < STEPS:
    time.sleep(0.1)  # a step of the real thing
    state = {"step": state["step"] + 1, "loss": state["loss"] * 0.97}
    save(state)
    print(f"step {state['step']}/{STEPS} loss: {state['loss']:.3f}")
