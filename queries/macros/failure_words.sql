-- macro:   failure_words
-- purpose: the words of a failed call by which a person knows the cause, in one line of at most 200 characters: the
--          message in JSON, XML or the repr of an object, the last line of a traceback, else the first line, without
--          what frameworks put around it
-- note:    data without a message are their state, or null: without its texts one JSON looks like any other. The same
--          cause has the same words whatever framework wrote them down, so that it is one pattern. Only the first
--          2,000 characters and the last 300 are read, which bounds what a hostile text costs.
create or replace macro failure_words(content) as
nullif(
    left(
        trim(
            regexp_replace(
                regexp_replace(
                    regexp_replace(
                        regexp_replace(
                            coalesce(
                                case
                                    when regexp_matches(left(content, 2000), '^\s*<[?\w]')
                                        then coalesce(
                                            nullif(
                                                regexp_extract(
                                                    left(content, 2000),
                                                    '(?i)<[\w:]*(?:err|fault)\w*(?:des|desc|description|message|msg'
                                                    || '|string|text)\b[^>]*>\s*(?:<!\[CDATA\[)?([^<\]]{2,})',
                                                    1
                                                ),
                                                ''
                                            ),
                                            nullif(
                                                regexp_extract(
                                                    left(content, 2000),
                                                    '(?i)<(?:\w+:)?(?:text|display|diagnostics)\s+value="([^"]{2,})"',
                                                    1
                                                ),
                                                ''
                                            ),
                                            nullif(
                                                regexp_extract(
                                                    left(content, 2000),
                                                    '(?i)<[\w:]*(?:desc|description|message|msg|messagetext|reason'
                                                    || '|statusdesc)\b[^>]*>\s*(?:<!\[CDATA\[)?([^<\]]{2,})',
                                                    1
                                                ),
                                                ''
                                            )
                                        )
                                end,
                                nullif(
                                    regexp_extract(
                                        left(content, 2000),
                                        '(?i)["''](?:error_?message|error_?description|error_?summary|error_?msg|error'
                                        || '|exception|message|detail|msg|errmsg|reason)["'']'
                                        || '\s*:\s*"((?:[^"\\]|\\.)+)"',
                                        1
                                    ),
                                    ''
                                ),
                                nullif(
                                    regexp_extract(
                                        left(content, 2000),
                                        '(?i)[''](?:error_?message|error_?description|error_?summary|error_?msg'
                                        || '|error|exception|message|detail|msg|errmsg|reason)['']'
                                        || '\s*:\s*''((?:[^''\\]|\\.)+)''',
                                        1
                                    ),
                                    ''
                                ),
                                nullif(
                                    regexp_extract(
                                        left(content, 2000), '["'']text["'']\s*:\s*"((?:[^"\\]|\\.)+)"', 1
                                    ),
                                    ''
                                ),
                                case
                                    when regexp_matches(left(content, 2000), '^\s*[\[{]')
                                        then coalesce(
                                            'status: ' || nullif(
                                                regexp_extract(
                                                    left(content, 2000),
                                                    '(?i)["''](?:status|state|conclusion)["'']\s*:\s*["''](\w+)["'']',
                                                    1
                                                ),
                                                ''
                                            ),
                                            ''
                                        )
                                end,
                                case
                                    when contains(left(content, 2000), 'Traceback (most recent call last)')
                                        then nullif(
                                            regexp_extract(right(content, 300), '(?:^|\n)(\S[^\n]*)\s*$', 1), ''
                                        )
                                end,
                                regexp_extract(
                                    regexp_replace(
                                        left(content, 2000), '^\s*(?:#+\s*(?i:error)\s*\n|<\w{1,30}>\s*)+', ''
                                    ),
                                    '\S[^\n]*'
                                )
                            ),
                            '^(?:#+\s*)?(?:<\w+>)?(?:\W{0,3}(?i:error executing tool [\w.-]+'
                            || '|error invoking tool [\w.-]+'
                            || '|error calling tool [\w.-]+|tool execution (?:error|failed)|tool error|error)\s*:\s*)+',
                            ''
                        ),
                        '^(?:ToolException|ToolError|ModelRetry|RuntimeError|Exception)\((?:"(.*)"|''(.*)''),?\)$',
                        '\1\2'
                    ),
                    '^([A-Za-z_][\w.]*)\((?:"(.*)"|''(.*)''),?\)$',
                    '\1: \2\3'
                ),
                '(?:\\[nrt]|[\x00-\x1f\x7f\s])+',
                ' ',
                'g'
            )
        ),
        200
    ),
    ''
);
