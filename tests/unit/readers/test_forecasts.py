"""GIFT-Eval and fev: errors of forecasts, one row a task."""

import pytest
from read_cells import LOGS, cells, noted

from nofluke.errors import InputError
from nofluke.scores.readers import read

GIFT = LOGS / "gift-eval" / "all_results.csv"
FEV = LOGS / "fev" / "results.csv"


def test_settings_of_one_data_set_belong_together():
    scores = read(GIFT, metric="eval_metrics/MASE[0.5]")

    assert cells(scores)["m", "bit/H/short"] == 6.06
    assert scores.better == "lower"
    assert scores.cluster.names == ("bit", "us_births")


def test_errors_in_units_of_the_data_are_told():
    note = noted(read(GIFT, metric="eval_metrics/MASE[0.5]"), "NF312")[0]

    assert "eval_metrics/MSE[mean] 9" in note  # log10(3350000 / .002) = 9.2
    assert "MASE[0.5] " not in note


def test_rows_the_model_was_trained_on_are_told_and_can_be_left_out():
    scores = read(FEV)
    assert cells(scores) == {("m", "E_1D"): 0.7, ("m", "E_1H"): 0.9}
    assert "1 of 2 ('E_1D')" in noted(scores, "NF314")[0]

    clean = read(FEV, where={"trained_on_this_dataset": "False"})

    assert cells(clean) == {("m", "E_1H"): 0.9}


def test_the_metrics_of_a_list_of_names_and_dicts_are_read():
    assert cells(read(FEV, metric="WQL"))["m", "E_1D"] == 0.1
    assert cells(read(FEV, metric="MASE"))["m", "E_1H"] == 1.1


def test_tasks_that_failed_are_said_to_be_absent():
    scores = read(FEV)

    assert "no row at all" in noted(scores, "NF311")[0]
    assert "'SQL'" in noted(scores, "NF313")[0]


def test_errors_of_different_metrics_are_never_one_column(tmp_path):
    path = tmp_path / "r.csv"
    lines = FEV.read_text().splitlines()
    path.write_text("\n".join([*lines[:2], lines[2].replace(",24,SQL,", ",24,MASE,")]) + "\n")

    with pytest.raises(InputError, match="choose one") as caught:
        read(path)

    assert "'test_error'" not in str(caught.value)


def test_code_in_a_cell_is_not_run(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text(FEV.read_text().replace("['MASE'", "[__import__('os').getcwd()"))

    assert cells(read(path))["m", "E_1D"] == 0.7


def test_values_of_all_magnitudes_are_told(tmp_path):
    path = tmp_path / "all_results.csv"
    path.write_text("dataset,model,eval_metrics/MSE[mean]\na/D/short,m,1e-300\nb/D/short,m,1e300\n")

    assert any("MSE[mean] 600" in note for note in read(path).notes)
