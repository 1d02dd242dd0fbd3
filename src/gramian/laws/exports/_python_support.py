"""Support for exported Python: functions that each exported module has.

They are written into the module as text, which needs nothing but Python.
"""

from __future__ import annotations

SUPPORT = '''\
_NAN = float("nan")
_INF = float("inf")
_EPOCH = datetime.datetime(1970, 1, 1)


def _missing(value):
    return value is None or str(value == value) != "True"


def _differ(one, other):
    return not _missing(one) and not _missing(other) and one != other


def _number(value):
    """A cell as a number: true is 1, a duration its seconds, a text infinite; NaN if missing."""
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, str):
        value = {"true": "1", "false": "0"}.get(value.strip().lower(), value)
        try:
            return float(value) if value.strip() else _NAN
        except ValueError:
            return _INF  # a text breaks the laws of its column
    return _NAN if _missing(value) else float(value)


def _text(value):
    """A cell as text; None if it is missing."""
    if _missing(value) or isinstance(value, str):
        return None if _missing(value) else str(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        return str(value)
    return str(int(number)) if number.is_integer() else str(number)


def _time(value):
    """A date, or a text such as 2024-03-01 12:30:00, as a time without a zone; None if missing."""
    if _missing(value) or value == "":
        return None
    if not isinstance(value, (str, datetime.date)):
        value = str(value)
    if isinstance(value, str):
        value = datetime.datetime.fromisoformat(value)
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    return value.replace(tzinfo=None)


def _micros(value):
    """The microseconds from 1970 to a time; None if it is missing."""
    time = _time(value)
    return None if time is None else (time - _EPOCH) // datetime.timedelta(microseconds=1)


def _passed(value, origin, per):
    micros = _micros(value)
    return _NAN if micros is None else (micros - origin) / per


def _part(value, part):
    time = _time(value)
    if time is None:
        return _NAN
    if part == "date":
        return float(time.toordinal() - _EPOCH.toordinal())
    if part == "year and month":
        return float((time.year - 1970) * 12 + time.month - 1)
    if part == "quarter":
        return float((time.month + 2) // 3)
    if part == "weekday":
        return float(time.weekday())
    return float(getattr(time, part))


def _day_number(year, month, day):
    try:
        return float(datetime.date(int(year), int(month), int(day)).toordinal() - 719163)
    except (ValueError, OverflowError):
        return _NAN


def _date(number, unit):
    """A date from days or seconds since 1970; None if there is no such date."""
    try:
        if unit == "days":
            return (_EPOCH + datetime.timedelta(days=math.floor(number + 0.5))).date()
        return _EPOCH + datetime.timedelta(microseconds=round(number * 1e6))
    except (OverflowError, ValueError):
        return None


def _ratio(above, below):
    return _NAN if below == 0 else above / below


def _power(base, exponent):
    try:
        found = base**exponent
    except ZeroDivisionError:
        return _INF
    except OverflowError:
        return -_INF if base < 0 and exponent % 2 == 1 else _INF
    return _NAN if isinstance(found, complex) else found


def _log(x):
    return math.log(x) if x > 0 else -_INF if x == 0 else _NAN


def _exp(x):
    try:
        return math.exp(x)
    except OverflowError:
        return _INF


def _sin(x):
    return math.sin(x) if math.isfinite(x) else _NAN


def _cos(x):
    return math.cos(x) if math.isfinite(x) else _NAN


def _floor(x):
    return float(math.floor(x)) if math.isfinite(x) else x


def _whole(x):
    return float(round(x)) if math.isfinite(x) else x


def _level(x):
    """A number with its first ten digits, by which tables of levels are read."""
    return x if not math.isfinite(x) or x.is_integer() else float(f"{x:.9e}")


def _interval(x, ends, from_below=False):
    find = bisect.bisect_right if from_below else bisect.bisect_left
    return _NAN if x != x else float(find(ends, x))
'''

ENTRIES = '''\
def check(row):
    """Return the laws, as texts, that a row breaks; a missing cell is no breach."""
    return [text for text, breaks, share in LAWS if breaks(row)]


def compute(row):
    """Return the columns that laws give: those that the row lacks, or that are missing in it."""
    known, found = dict(row), {}
    more = True
    while more:
        more = False
        for name, needed, gives in COLUMNS:
            if _missing(known.get(name)) and not any(_missing(known.get(one)) for one in needed):
                value = gives(known)
                if not _missing(value):
                    known[name] = found[name] = value
                    more = True
    return found
'''
