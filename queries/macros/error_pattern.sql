-- macro:   error_pattern
-- purpose: an error without what differs from one run to the next: addresses, paths, ids, numbers and quoted text are
--          replaced by <url>, <path>, <id>, <n> and <text>, white space is joined, at most 200 characters
-- note:    two errors with the same pattern are taken as the same fault. From long before short: an address has a path,
--          a path has numbers. Only the first 500 characters are read, which bounds what a hostile text costs.
create or replace macro error_pattern(error) as
left(
    trim(
        regexp_replace(
            regexp_replace(
                regexp_replace(
                    regexp_replace(
                        regexp_replace(
                            regexp_replace(
                                left(error, 500), '\b[a-z][a-z0-9+.-]*://[^\s''"<>)\]]+', '<url>', 'g'
                            ),
                            '(?:"(?:[^"\\\n]|\\.)*"|''(?:[^''\\\n]|\\.)*''|`[^`\n]*`|“[^”\n]*”|«[^»\n]*»)',
                            '<text>',
                            'g'
                        ),
                        '(?:[A-Za-z]:\\|\.{0,2}/)(?:[\w.@~+-]+[/\\])+[\w.@~+-]*(?::\d+)*', '<path>', 'g'
                    ),
                    '\b(?:[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|'
                    || '[A-Za-z]{1,12}_[A-Za-z0-9]*\d[A-Za-z0-9]{7,}|'
                    || '[0-9a-fA-F]*\d[0-9a-fA-F]{7,}|[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*[-_]\d+)\b',
                    '<id>', 'g'
                ),
                '[-+]?\d+(?:[.,:]\d+)*', '<n>', 'g'
            ),
            '\s+', ' ', 'g'
        )
    ),
    200
);
