"""Known features of languages: the sets of Ji et al. (2023), appendix D and Table 1."""

import pytest
from allennlp.common.checks import ConfigurationError

from udify_allennlp.text.errors import InputError
from udify_allennlp.text.languages import LANGUAGES
from udify_allennlp.typology import features
from udify_allennlp.typology.features import UNKNOWN, features_of, iso_code, values


def named(lang):
    return [
        feature.values[value - 1] if value else None
        for feature, value in zip(features_of("wals6"), values(lang, "wals6"))
    ]


def test_table_1():
    assert named("ar") == ["VSO", "ANP", "NG", "NA", "DN", "NumN"]
    assert named("bg") == ["SVO", "ANP", "Mixed", "AN", "DN", "NumN"]
    assert [f.name for f in features_of("wals6")] == ["81A", "85A", "86A", "87A", "88A", "89A"]
    assert sum(len(f.values) for f in features_of("wals6")) == 17


def test_sizes_of_the_sets():
    sizes = {"wals6": 6, "wals19": 19, "uriel": 103, "random": 103, "same": 103}
    for name, size in sizes.items():
        assert len(features_of(name)) == len(values("en", name)) == size
    with pytest.raises(ConfigurationError, match="features is 'wals7'. Use one of wals6"):
        features_of("wals7")


def test_values_are_those_of_their_features():
    for name in features.SETS:
        kinds = features_of(name)
        for iso in features._known().wals:
            own = values(iso, name)
            top = [1 if features.is_bits(name) else len(kind.values) for kind in kinds]
            assert all(0 <= value <= most for value, most in zip(own, top)), (name, iso)


def test_the_first_bits_of_uriel_are_the_order_of_subject_verb_and_object():
    names = [f.name for f in features_of("uriel")]
    assert names[:6] == ["SVO", "SOV", "VSO", "VOS", "OVS", "OSV"] and len(set(names)) == 103
    on = {lang: {n for n, v in zip(names, values(lang, "uriel")) if v} for lang in ("en", "ja")}
    assert "SVO" in on["en"] and "SOV" not in on["en"]
    assert {"SOV", "OBJECT_BEFORE_VERB", "ADPOSITION_AFTER_NOUN"} <= on["ja"]


@pytest.mark.parametrize("lang", ["fo", "fao", "FO", "fo_oft", "fo-FO", "Faroese", " faroese "])
def test_any_code_of_a_language_names_it(lang):
    assert iso_code(lang) == "fao"


@pytest.mark.parametrize("codes", ["ar ara arb", "zh zho chi cmn", "et est", "fa fas", "lv lav"])
def test_longer_codes_are_the_language_that_treebanks_have(codes):
    assert len({iso_code(code) for code in codes.split()}) == 1


def test_a_name_is_not_taken_for_a_code():
    assert [iso_code(name) for name in ("Old_French", "Low_Saxon", "old")] == ["fro", "nds", "old"]


def test_nearly_all_languages_that_can_be_named_have_a_syntax():
    lacking = []
    for code in LANGUAGES:
        try:
            iso_code(code)
        except ConfigurationError:
            lacking.append(code)
    assert lacking == ["hyw", "qaf", "qfn", "qhe", "qpm", "qtd", "qte", "qti"]
    assert values("cmn", "wals6") == values("zh_gsd", "wals6")


@pytest.mark.parametrize(
    "lang, name, message",
    [
        ("faroes", "uriel", "nknown language 'faroes'. Did you mean fo"),
        ("hyw", "uriel", r"Western Armenian \(hyw\) is unknown. Related languages may be hy"),
        ("fo", "wals19", r"no word order features for 'fo'.*da \(Danish\), no \(Norwegian\), sv"),
    ],
)
def test_a_language_without_features_is_one_line_that_says_which_are_near(lang, name, message):
    with pytest.raises((ConfigurationError, InputError), match=message) as caught:
        values(lang, name)
    assert "\n" not in str(caught.value)


def test_what_wals_does_not_have_is_unknown():
    assert values("am", "wals19")[9] == UNKNOWN  # 92A is not known of Amharic
    assert values("el", "wals6")[3] in (1, 2)
    # "No dominant order" of adjective and noun is none of the values of Table 1.
    both = [iso for iso, row in features._known().wals.items() if row["87A"] == 3]
    assert both and all(values(iso, "wals6")[3] == UNKNOWN for iso in both)


def test_random_features_are_the_same_in_every_process():
    # Written down by another one.
    assert "".join(map(str, values("fao", "random")[:32])) == "11110111010000110101001100010000"
    assert values("en", "random") != values("de", "random")


def test_same_features_are_those_of_all_languages():
    assert values("en", "same") == values("ja", "same") and 30 < sum(values("fo", "same")) < 73


def test_distance_is_the_share_that_differs_of_what_both_have():
    for name in features.SETS:
        assert features.distance("en", "en", name) == 0
        assert features.distance("en", "ja", name) == features.distance("ja", "en", name)
    en, am = values("en", "wals19"), values("am", "wals19")
    both = [(a, b) for a, b in zip(en, am) if a and b]
    assert features.distance("en", "am") == sum(a != b for a, b in both) / len(both)
    assert features.distance("en", "de") < features.distance("en", "ja")
