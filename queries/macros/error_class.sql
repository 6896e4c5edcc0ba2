-- macro:   error_class
-- purpose: the kind of an error: the name of its exception without its module, else its HTTP status, else null
-- note:    read from the beginning of the text, where assembly puts the type; a status only where the text calls it one
create or replace macro error_class(error) as
coalesce(
    nullif(
        regexp_extract(
            left(error, 300),
            '^\W{0,3}(?:[A-Za-z_][\w.]*\.)?'
            || '([A-Za-z_]\w*(?:Error|Exception|Failure|Fault|Timeout|Unavailable|Refused|Denied|Interrupt))\b',
            1
        ),
        ''
    ),
    'HTTP ' || nullif(
        regexp_extract(
            left(error, 300),
            '(?i)(?:\bhttp|status|\bcode|error|\()[^0-9a-z]{0,4}(?:code)?[^0-9a-z]{0,3}([45]\d\d)\b',
            1
        ),
        ''
    ),
    nullif(regexp_extract(left(error, 40), '^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b'), '')
);
