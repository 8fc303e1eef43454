"""`check` on public tables: it names the traps that are known of each."""

import re
import shlex
from pathlib import Path

import pytest

from nofluke import check
from nofluke.cli import run


def found(answer, code):
    return [f.text for f in answer.findings if f.code == code]


@pytest.fixture
def data(shared):
    return shared / "data"


TRAPS = {
    "swebench_pro": [("NF320", r"418 of 970 examples are common to all"), ("NF344", "11 clusters")],
    "livecodebench_o1": [("NF336", r"'error_code' marks 669 of 1760"), ("NF344", "clusters")],
    "alpaca_eval2_weighted": [
        ("NF323", r"1 of 58 candidates is the same \('gpt4_1106_preview' 1.5\)"),
        ("NF320", r"6 of 58 candidates lack"),
        ("NF344", r"5 clusters.*So few clusters"),
        ("NF339", r"'output_chars': rank correlation 0.26 over 46680"),
    ],
    "fev_bench_errors": [
        ("NF320", r"'AutoARIMA' 4, 'Stat. Ensemble' 4, 'AutoETS' 3, 'DeepAR' 3"),
        ("NF326", r"Of 'AutoETS' the largest is 3.93e\+14"),
        ("NF337", r"'trained_on_this_dataset' is set on 56 of 2985"),
    ],
    "llmperf_latency": [
        ("NF321", "no example was scored by two of the 19"),
        ("NF324", r"exactly 0 .*'lepton_7b' 130 of 150.*the best score there is"),
        ("NF336", r"'429.0' 392, '-100.0' 146, '-1.0' 1"),
        ("NF336", r"'429.0', '-1.0' all show one same score"),
        ("NF335", "follow each other"),
    ],
    "tabm_seeds": [
        ("NF003", r"'accuracy' \(6240 rows\), 'neg_rmse' \(9795 rows\), 'roc_auc'"),
        ("NF320", r"2 of 13 candidates lack"),
        ("NF339", "'val_score'"),
        ("NF343", "told apart by the run column"),
    ],
    "rl_dmc_proprio": [
        ("NF333", "from 5 to 10 runs"),
        ("NF343", "up to 10 rows each"),
        ("NF324", "'ppo_fixhp' 27 of 90.*the lowest score there is, perhaps the end of the scale"),
    ],
    "rl_procgen": [("NF333", "'dreamerv3' has one run only")],
    "automl_1h_folds": [
        ("NF003", r"'auc' \(1400 rows\), 'neg_logloss' \(1050 rows\)"),
        ("NF336", r"'failure_info' marks 34 of 2450"),
    ],
    "wmt_ted_mqm_ende": [
        ("NF320", "77 of 606 examples have no score from any candidate"),
        ("NF327", r"37 values only, and 59% of them"),
        ("NF344", r"5 clusters"),
    ],
    "rocr_hiv_scores": [("NF338", r"labels in column 'label' \('-1' \d+, '1' \d+\)")],
    "mrmc_vandyke": [
        ("NF343", "up to 5 rows each, told apart by the cluster column"),
        ("NF338", "labels"),
    ],
    "sports_prob_forecasts": [
        ("NF321", "no example was scored by two"),
        ("NF338", r"'0.5' 8.*the third needs a decision"),
    ],
    "radio5g_streaming": [
        ("NF324", r"exactly 0 far more often .*'Netflix/Static' 26622 of 34608"),
        ("NF335", "follow each other in time"),
        ("NF344", "62 clusters"),
        ("NF321", "no example was scored by two"),
    ],
}


@pytest.mark.parametrize("name", TRAPS)
def test_check_names_the_traps_of_public_tables(data, name):
    answer = check(data / f"{name}.parquet")

    for code, text in TRAPS[name]:
        assert any(re.search(text, told) for told in found(answer, code)), (
            code,
            text,
            answer.rows(),
        )


@pytest.mark.parametrize(
    "name", ["swebench_pro", "llmperf_latency", "rl_procgen", "tabm_seeds", "mrmc_vandyke"]
)
def test_every_call_that_check_offers_can_be_copied(data, name, capsys):
    answer = check(data / f"{name}.parquet")
    assert answer.supports
    run_all(answer, capsys)


def run_all(answer, capsys):
    """Run every call that a check-up offers."""
    for row in answer.supports:
        assert run([*shlex.split(row["call"])[1:], "--quiet"]) == 0, (row, capsys.readouterr().err)
        assert capsys.readouterr().out


LOGS = Path(__file__).parents[1] / "contracts" / "logs"


def logs():
    """The small logs of all tools, file by file; folders where the format is one."""
    for tool in sorted(LOGS.iterdir()):
        inside = sorted(tool.iterdir())
        whole = "folder" in tool.name or tool.name == "wandb-runs"
        yield from [tool] if whole else inside


@pytest.mark.parametrize("path", list(logs()), ids=lambda p: f"{p.parent.name}/{p.name}")
def test_every_call_offered_for_the_log_of_a_tool_can_be_copied(path, capsys):
    run_all(check(path), capsys)


@pytest.mark.parametrize(
    "name",
    [
        "alpaca_eval/alpaca-7b_annotations_head30.json",
        "automlbenchmark/results_medium-8c1h.csv",  # runs that failed
        "dreamer_scores/procgen-dreamerv3.json.gz",  # one run of each game
        "dreamer_scores/minecraft_diamond-r2d2.json.gz",
        "fev/deepar.csv",
        "hf_trainer/trainer_state.json",
        "hyperfine/python_startup.json",
        "llmperf/individual/lepton_7b.json",
        "mteb/e5-small-v2_AmazonCounterfactualClassification.json",
        "stable_baselines3/a2c/CartPole-v1_1/evaluations.npz",
        "tabm_report/mlp-periodic_adult_0-evaluation_0.json",
        "trec_eval/out.test.aq",
        "wandb/wandb_export_history.csv",
        "wmt_mqm/mqm_ted_ende.avg_seg_scores.tsv",
    ],
)
def test_every_call_offered_for_a_real_log_can_be_copied(shared, name, capsys):
    answer = check(shared / "formats" / name)
    assert answer.supports
    run_all(answer, capsys)
