"""Realistic and unrealistic raw texts, and a check of their tokens."""

import re

from hypothesis import strategies as st

from udify_allennlp.text.conllu import Sentence
from udify_allennlp.text.raw_text import lines_of, read_text, rebuild, spans

# Characters that tokenizers, MISC and files have trouble with, in between letters.
ODD = "ab1. \n\r\t|\\_-='\"\u0301\u00a0\u2028\u3000\ufeff\0\x1c\x85😀東京ไท"
TEXTS = st.one_of(st.text(), st.text(ODD))


def check_rebuilt(text, tokenizer):
    """The text can be rebuilt, and each word stands where `spans` says."""
    sentences = list(read_text(lines_of(text), tokenizer))
    assert rebuild(sentences) == (text if text.strip() else "")
    start = 0
    for sentence in sentences:
        again = Sentence(sentence.text)  # it is CoNLL-U
        for form, (first, last) in zip(again.forms, spans(again, start)):
            if not re.search(r"^\d+-\d+\t", sentence.text, re.MULTILINE):
                # White space in a word is one space in its form.
                assert " ".join(text[first:last].split()) == " ".join(form.split())
        start += len(rebuild([again]))


# Raw text as people write it, in scripts of many kinds.
LANGUAGES = {
    "ar": "قال الرئيس: «إن الأمر صعب». لكنه لم يوافق! هل تفهم؟ نعم، د. أحمد هنا.",
    "cs": "Pan Dr. Novák řekl: „Přijdu v 15.30 hod.“ A nepřišel – proč asi?!",
    "en": "Mr. O'Neil can't pay $1,000.50 (or won't)... see http://a.b/c?d=e&f. :-) OK?",
    "fr": "L'eau, c'est « bon marché » : 3,50 € le m³. Qu'en dit M. Dupont-Aignan ?",
    "he": 'ד"ר כהן אמר: "לא". אבל הוא בא ב-15:30!',
    "hi": 'डॉ. शर्मा ने कहा, "मैं नहीं आऊँगा।" क्या हुआ? ठीक है।',
    "ja": "東京に行きました。「はい」と言った。本当ですか?100円です!",
    "ko": '그는 "안 간다"고 말했다. 왜? 3.5%만 왔다.',
    "ru": "Г-н Иванов и др. сказали: «Нет!» — и т. д. Почему?",
    "th": "เขาพูดว่าไม่ไปกรุงเทพมหานคร แล้วเขาก็ไป จริงหรือ",
    "tr": "Dr. Ayşe'nin 5'i geçti; İstanbul'da \"evet\" dedi. Öyle mi?",
    "vi": "Ông Nguyễn nói: “Không!” TP. Hồ Chí Minh có 10.000.000 người.",
    "zh": "我们爱北京。“你呢?”他问:“3.5%吗?”——是的……",
}
