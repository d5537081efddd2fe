"""The spans that the normaliser rewrites, one table of rules for each language.

A rule is a pattern, matched at the first character of a span, and a function that gives the words. It raises
:class:`Unsayable` when the span only looked like one (a 13th month, a falling range); then the next rule is tried.
``say`` turns a plain number, a time or a fraction into words. Units and currencies are named here, because the
rule library reads "5 m" as minutes in English and knows few units after a number in Chinese.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

Say = Callable[[str], str]
Rule = tuple[re.Pattern[str], Callable[[re.Match[str], Say], str]]


class Unsayable(Exception):  # noqa: N818 (an answer, not an error)
    """There is no spoken form for this span: a signal to the caller, never shown to a person."""


_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
# symbol: (English singular, English plural, Chinese)
UNITS = {
    "km": ("kilometer", "kilometers", "公里"),
    "m": ("meter", "meters", "米"),
    "cm": ("centimeter", "centimeters", "厘米"),
    "mm": ("millimeter", "millimeters", "毫米"),
    "nm": ("nanometer", "nanometers", "纳米"),
    "ft": ("foot", "feet", "英尺"),
    "mi": ("mile", "miles", "英里"),
    "kg": ("kilogram", "kilograms", "千克"),
    "g": ("gram", "grams", "克"),
    "mg": ("milligram", "milligrams", "毫克"),
    "lb": ("pound", "pounds", "磅"),
    "lbs": ("pound", "pounds", "磅"),
    "oz": ("ounce", "ounces", "盎司"),
    "L": ("liter", "liters", "升"),
    "mL": ("milliliter", "milliliters", "毫升"),
    "ml": ("milliliter", "milliliters", "毫升"),
    "km²": ("square kilometer", "square kilometers", "平方千米"),
    "m²": ("square meter", "square meters", "平方米"),
    "cm²": ("square centimeter", "square centimeters", "平方厘米"),
    "m³": ("cubic meter", "cubic meters", "立方米"),
    "ha": ("hectare", "hectares", "公顷"),
    "km/h": ("kilometer per hour", "kilometers per hour", "公里每小时"),
    "m/s": ("meter per second", "meters per second", "米每秒"),
    "mph": ("mile per hour", "miles per hour", "英里每小时"),
    "h": ("hour", "hours", "小时"),
    "min": ("minute", "minutes", "分钟"),
    "ms": ("millisecond", "milliseconds", "毫秒"),
    "°C": ("degree Celsius", "degrees Celsius", "摄氏度"),
    "℃": ("degree Celsius", "degrees Celsius", "摄氏度"),
    "°F": ("degree Fahrenheit", "degrees Fahrenheit", "华氏度"),
    "℉": ("degree Fahrenheit", "degrees Fahrenheit", "华氏度"),
    "°": ("degree", "degrees", "度"),
    "Hz": ("hertz", "hertz", "赫兹"),
    "kHz": ("kilohertz", "kilohertz", "千赫"),
    "MHz": ("megahertz", "megahertz", "兆赫"),
    "GHz": ("gigahertz", "gigahertz", "吉赫"),
    "W": ("watt", "watts", "瓦"),
    "kW": ("kilowatt", "kilowatts", "千瓦"),
    "kWh": ("kilowatt hour", "kilowatt hours", "千瓦时"),
    "V": ("volt", "volts", "伏"),
    "mAh": ("milliamp hour", "milliamp hours", "毫安时"),
    "kcal": ("kilocalorie", "kilocalories", "千卡"),
    "kJ": ("kilojoule", "kilojoules", "千焦"),
    "hPa": ("hectopascal", "hectopascals", "百帕"),
    "kPa": ("kilopascal", "kilopascals", "千帕"),
    "dB": ("decibel", "decibels", "分贝"),
    "KB": ("kilobyte", "kilobytes", "千字节"),
    "kB": ("kilobyte", "kilobytes", "千字节"),
    "MB": ("megabyte", "megabytes", "兆字节"),
    "GB": ("gigabyte", "gigabytes", "吉字节"),
    "TB": ("terabyte", "terabytes", "太字节"),
    "Mbps": ("megabit per second", "megabits per second", "兆比特每秒"),
    "rpm": ("revolution per minute", "revolutions per minute", "转每分钟"),
}
# symbol: (English singular, plural, hundredth part singular, plural, Chinese)
_CURRENCIES = {
    "$": ("dollar", "dollars", "cent", "cents", "美元"),
    "€": ("euro", "euros", "cent", "cents", "欧元"),
    "£": ("pound", "pounds", "penny", "pence", "英镑"),
    "¥": ("yen", "yen", "", "", "元"),
    "￥": ("yuan", "yuan", "", "", "元"),
}
_DIGITS = {
    "en": ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    "zh": ("零", "幺", "二", "三", "四", "五", "六", "七", "八", "九"),
}

_INTEGER = r"(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})"
_NUM = rf"{_INTEGER}(?:\.\d{{1,12}})?"
_SIGN = "[-−+]?"
_UNIT = "(?P<unit>" + "|".join(re.escape(unit) for unit in sorted(UNITS, key=len, reverse=True)) + ")"
_MONEY = r"[$€£¥￥]"
# A span ends where neither the number nor a word goes on (1.2.3, 5x); a full stop or a hyphen before a word may follow.
_END = r"(?![.,:/~～\-−–—+*=×÷^]?\d)(?![A-Za-z_²³'’\"″′°])"
_MONTH_NAME = r"(?P<month>(?:" + "|".join(rf"{name[:3]}(?:{name[3:]})?" for name in _MONTHS) + r"|Sept)\.?)"
_BEFORE_LETTER_UNIT = re.compile(r"[\s\u4e00-\u9fff,，、:：(（]?")
_AFTER_LETTER_UNIT = re.compile(r"[\s\u4e00-\u9fff.,;:!?)，。；：！？、）]?")
_ORDINAL = r"(?:st|nd|rd|th)?"
_PHONE_EN = r"(?:\+?\d{1,3}[ -])?(?:\(\d{3}\) ?|\d{3}-)?\d{3}-\d{4}"
_PHONE_ZH = r"(?:\+?86[ -]?)?1[3-9]\d[ -]?\d{4}[ -]?\d{4}|0\d{2,3}-\d{7,8}|[48]00-\d{3,4}-\d{3,4}|\d{3}-\d{4}"


# -- numbers --------------------------------------------------------------------------------------------------


def _plain(number: str) -> str:
    return number.replace(",", "").replace("−", "-")


def _say_signed(number: str, say: Callable[[str], str], minus: str, plus: str) -> str:
    number = _plain(number)
    sign = {"-": minus, "+": plus}.get(number[0], "")
    return sign + say(number.lstrip("+-"))


def _count_en(number: str, say: Say) -> str:
    """A quantity, never read as a year: 1990 is one thousand nine hundred and ninety."""

    def quantity(plain: str) -> str:
        words = say(f"{plain} kg")
        spoken = re.sub(r" kilograms?$", "", words)
        if spoken == words:
            raise Unsayable
        if spoken.startswith("thousand"):
            spoken = f"one {spoken}"
        return re.sub(r"\boh\b", "zero", spoken)

    return _say_signed(number, quantity, "minus ", "plus ")


def _count_zh(number: str, say: Say) -> str:
    """A quantity before a measure word: 2 is 两."""

    def quantity(plain: str) -> str:
        words = say(f"{plain}个")
        if not words.endswith("个"):
            raise Unsayable
        return words[:-1]

    return _say_signed(number, quantity, "负", "正")


def _number_en(match: re.Match[str], say: Say) -> str:
    """A bare number: four digits as a year (1999, 2024), leading zeros as digits (007), all else as a quantity."""
    number = match[0]
    if re.fullmatch(r"(?:1[1-9]|20)\d\d|0\d+", number):
        return say(number)
    return _count_en(number, say)


def _number_zh(match: re.Match[str], say: Say) -> str:
    number = match[0]
    if re.fullmatch(r"0\d+", number):
        return _digit_by_digit(number, "zh", "，").replace("幺", "一")
    return _say_signed(number, say, "负", "正") if number.lstrip("+-−") == "2" else _count_zh(number, say)


def _digit_by_digit(span: str, language: str, pause: str) -> str:
    groups = re.findall(r"\d+", span)
    joiner = " " if language == "en" else ""
    words = [joiner.join(_DIGITS[language][int(digit)] for digit in group) for group in groups]
    return pause.join(words)


def _is_one(number: str) -> bool:
    return _plain(number).lstrip("+-") in ("1", "1.0")


def _ordered(first: str, second: str) -> None:
    """A span such as 3-5 is a range only if it rises; 555-12 is something else."""
    if float(_plain(first)) >= float(_plain(second)):
        raise Unsayable


# -- English --------------------------------------------------------------------------------------------------


def _ordinal_en(number: int, say: Say) -> str:
    tail = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return say(f"{number}{tail}")


def _month_number(name: str) -> int:
    return next(index for index, month in enumerate(_MONTHS, 1) if month.startswith(name[:3]))


def _date_words(year: str | None, month: int, day: int, say: Say) -> str:
    try:
        date(int(year or 2000), month, day)  # 2000: a leap year, so that 29 February stands without a year
    except ValueError as error:
        raise Unsayable from error
    words = f"{_MONTHS[month - 1]} {_ordinal_en(day, say)}"
    return f"{words}, {say(year)}" if year else words


def _month_day_en(match: re.Match[str], say: Say) -> str:
    return _date_words(match["year"], _month_number(match["month"]), int(match["day"]), say)


def _iso_date_en(match: re.Match[str], say: Say) -> str:
    return _date_words(match["year"], int(match["month"]), int(match["day"]), say)


def _day_month_en(match: re.Match[str], say: Say) -> str:
    month = _month_number(match["month"])
    _date_words(match["year"], month, int(match["day"]), say)
    article = "" if match.string[: match.start()].rstrip().lower().endswith("the") else "the "
    words = f"{article}{_ordinal_en(int(match['day']), say)} of {_MONTHS[month - 1]}"
    return f"{words}, {say(match['year'])}" if match["year"] else words


def _time_en(match: re.Match[str], say: Say) -> str:
    half = {"a": " AM", "p": " PM"}[match["half"].lower()] if match["half"] else ""
    clock = match["clock"]
    if half and clock.endswith(":00"):
        clock = clock[:-3]
    return say(clock) + half


def _money_en(match: re.Match[str], say: Say) -> str:
    one, many, cent, cents, _ = _CURRENCIES[match["currency"]]
    number, scale = _plain(match["number"]), match["scale"]
    if scale:
        return f"{_count_en(number, say)} {scale} {many}"
    whole, _, part = number.partition(".")
    if len(part) != 2 or not cent:
        return f"{_count_en(number, say)} {one if _is_one(number) else many}"
    words = []
    if int(whole) or not int(part):
        words.append(f"{_count_en(whole, say)} {one if int(whole) == 1 else many}")
    if int(part):
        words.append(f"{_count_en(str(int(part)), say)} {cent if int(part) == 1 else cents}")
    return " and ".join(words)


def _decade_en(match: re.Match[str], say: Say) -> str:
    words = say(match["year"])
    return words[:-1] + "ies" if words.endswith("y") else words + "s"


def _ordinal_rule_en(match: re.Match[str], say: Say) -> str:
    number = int(match["number"])
    if say(match[0]) != _ordinal_en(number, say):  # 2th, 1rd
        raise Unsayable
    return _ordinal_en(number, say)


def _fraction(match: re.Match[str], say: Say) -> str:
    if not int(match["top"]) < int(match["bottom"]) <= 10:  # 24/7 and 9/11 are no fractions
        raise Unsayable
    return say(match[0])


def _measure_en(match: re.Match[str], say: Say) -> str:
    one, many, _ = UNITS[match["unit"]]
    _refuse_doubtful_unit(match)
    return f"{_count_en(match['number'], say)} {one if _is_one(match['number']) else many}"


def _range_en(match: re.Match[str], say: Say) -> str:
    _ordered(match["first"], match["second"])
    years = all(re.fullmatch(r"(?:1[5-9]|20)\d\d", match[name]) for name in ("first", "second"))
    spell = (lambda number, say: say(number)) if years else _count_en
    words = f"{spell(match['first'], say)} to {spell(match['second'], say)}"
    unit = match["unit"]
    if unit == "%":
        return f"{words} percent"
    return f"{words} {UNITS[unit][1]}" if unit else words


def _refuse_doubtful_unit(match: re.Match[str]) -> None:
    """A single letter is a unit only in running text, not amid the signs of code or markup."""
    if len(match["unit"]) > 1 or not match["unit"].isalpha():
        return
    before, after = match.string[: match.start()][-1:], match.string[match.end() :][:1]
    if not (_BEFORE_LETTER_UNIT.fullmatch(before) and _AFTER_LETTER_UNIT.fullmatch(after)):
        raise Unsayable


_RULES_EN: tuple[Rule, ...] = tuple(
    (re.compile(pattern + _END), words)
    for pattern, words in (
        (rf"{_MONTH_NAME} (?P<day>\d{{1,2}}){_ORDINAL}(?:,? (?P<year>\d{{4}}))?(?! ?{_UNIT}\b)", _month_day_en),
        (rf"(?P<day>\d{{1,2}}){_ORDINAL} {_MONTH_NAME}(?:,? (?P<year>\d{{4}}))?", _day_month_en),
        (r"(?P<year>\d{4})(?P<mark>[-/])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})", _iso_date_en),
        (r"(?P<clock>(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?)(?: ?(?P<half>[AaPp])(?:\.[Mm]\.|[Mm]))?", _time_en),
        (r"(?P<clock>1[0-2]|0?[1-9]) ?(?P<half>[AaPp])(?:\.[Mm]\.|[Mm])", _time_en),
        (
            rf"(?P<currency>{_MONEY})\s?(?P<number>{_NUM})(?: (?P<scale>thousand|million|billion|trillion)\b)?",
            _money_en,
        ),
        (rf"(?P<number>{_SIGN}{_NUM}) ?[%％]", lambda m, say: f"{_count_en(m['number'], say)} percent"),
        (r"(?P<year>(?:1[1-9]|20)\d0|[2-9]0)s", _decade_en),
        (_PHONE_EN, lambda m, say: "plus " * m[0].startswith("+") + _digit_by_digit(m[0], "en", ", ")),
        (r"(?P<number>\d{1,9})(?:st|nd|rd|th)", _ordinal_rule_en),
        (r"(?P<top>\d{1,2})/(?P<bottom>\d{1,2})", _fraction),
        (
            rf"(?P<first>{_NUM}) ?[-−–~] ?(?P<second>{_NUM}) ?(?:{_UNIT[:-1]}|%))?",
            _range_en,
        ),
        (rf"(?P<number>{_SIGN}{_NUM}) ?{_UNIT}", _measure_en),
        (rf"#(?P<number>{_INTEGER})", lambda m, say: f"number {_count_en(m['number'], say)}"),
        (r"\d{16,32}", lambda m, say: _digit_by_digit(m[0], "en", ", ")),
        (rf"{_SIGN}{_NUM}", _number_en),
    )
)

# -- Chinese --------------------------------------------------------------------------------------------------


def _date_zh(match: re.Match[str], say: Say) -> str:
    year, month, day = match["year"], int(match["month"]), int(match["day"])
    try:
        date(int(year), month, day)
    except ValueError as error:
        raise Unsayable from error
    return say(f"{year}年{month}月{day}日")


def _time_zh(match: re.Match[str], say: Say) -> str:
    words = _count_zh(str(int(match["hour"])), say) + "点"
    seconds = match["second"]
    for value, name in ((match["minute"], "分"), (seconds, "秒")):
        if value is None or (int(value) == 0 and not seconds):
            continue
        words += ("零" if int(value) < 10 and int(value) else "") + say(str(int(value))) + name
    return words


def _money_zh(match: re.Match[str], say: Say) -> str:
    named = match["named"]  # ￥99.9元 says its currency twice
    name = named or _CURRENCIES[match["currency"]][4]
    return _count_zh(match["number"], say) + (match["scale"] or "") + name


def _percent_zh(match: re.Match[str], say: Say) -> str:
    sign = "负" if match["number"][0] in "-−" else ""
    return f"{sign}百分之{say(_plain(match['number']).lstrip('+-'))}"


def _measure_zh(match: re.Match[str], say: Say) -> str:
    _refuse_doubtful_unit(match)
    return _count_zh(match["number"], say) + UNITS[match["unit"]][2]


def _range_zh(match: re.Match[str], say: Say) -> str:
    _ordered(match["first"], match["second"])
    words = f"{_count_zh(match['first'], say)}到{_count_zh(match['second'], say)}"
    unit = match["unit"]
    if unit == "%":
        return f"百分之{say(_plain(match['first']))}到百分之{say(_plain(match['second']))}"
    return words + UNITS[unit][2] if unit else words


def _with_context_zh(match: re.Match[str], say: Say) -> str:
    """A number and the character after it, which decides how it is read: 2个, 2号, 2024年."""
    number, context = _plain(match["number"]), match["context"]
    sign = {"-": "负", "+": "正"}.get(number[0], "")
    words = say(number.lstrip("+-") + context)
    if not words.endswith(context):
        raise Unsayable
    return sign + words


_RULES_ZH: tuple[Rule, ...] = tuple(
    (re.compile(pattern + _END), words)
    for pattern, words in (
        (r"第(?P<number>\d{1,9})", lambda m, say: f"第{say(m['number'])}"),
        (r"\d{4}年(?:\d{1,2}月(?:\d{1,2}[日号])?)?|\d{1,2}月\d{1,2}[日号]?", lambda m, say: say(m[0])),
        (r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})", _date_zh),
        (r"(?P<hour>[01]?\d|2[0-4])[:：](?P<minute>[0-5]\d)(?:[:：](?P<second>[0-5]\d))?", _time_zh),
        (r"\d{1,2}点\d{1,2}分?", lambda m, say: say(m[0])),
        (
            rf"(?P<currency>{_MONEY})\s?(?P<number>{_NUM}) ?(?P<scale>[十百千万亿]{{0,2}}) ?(?P<named>元|块钱?)?",
            _money_zh,
        ),
        (rf"(?P<number>{_SIGN}{_NUM}) ?[%％]", _percent_zh),
        (_PHONE_ZH, lambda m, say: _digit_by_digit(m[0], "zh", "，")),
        (r"(?P<top>\d{1,2})/(?P<bottom>\d{1,2})", _fraction),
        (r"\d{1,3}:\d{1,3}", lambda m, say: say(m[0])),
        (
            rf"(?P<first>{_NUM}) ?[-−–~～—] ?(?P<second>{_NUM}) ?(?:{_UNIT[:-1]}|%))?",
            _range_zh,
        ),
        (rf"(?P<number>{_SIGN}{_NUM}) ?{_UNIT}", _measure_zh),
        (rf"(?P<number>{_SIGN}{_NUM})(?P<context>[\u4e00-\u9fff])", _with_context_zh),
        (r"\d{13,32}", lambda m, say: _digit_by_digit(m[0], "zh", "，").replace("幺", "一")),
        (rf"{_SIGN}{_NUM}", _number_zh),
    )
)

RULES: dict[str, tuple[Rule, ...]] = {"en": _RULES_EN, "zh": _RULES_ZH}
