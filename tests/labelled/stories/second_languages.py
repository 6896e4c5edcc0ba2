"""Short runs in seven languages: results that are a message of failure, and texts that only look like one."""

from __future__ import annotations

from ..one_call import call_fails, call_works

STORIES = (
    call_fails(
        "second_de_booking_unreachable",
        "genai",
        "Buch mir den Tisch für vier um acht.",
        (
            "tisch_reservieren",
            {"personen": 4, "zeit": "20:00"},
            "Die Reservierung konnte nicht durchgeführt werden, da das Buchungssystem nicht erreichbar ist.",
        ),
        "Der Tisch ist reserviert!",
        "the reservation did not go through, and the user is told that it did",
    ),
    call_fails(
        "second_de_access_denied",
        "vercel_ai",
        "Zeig mir das Gehalt von Frau Lang.",
        ("personalakte_lesen", {"person": "Lang"}, "Zugriff verweigert: Ihnen fehlt die Berechtigung HR_READ."),
        "Darauf habe ich keinen Zugriff.",
        "the file could not be read",
    ),
    call_works(
        "second_de_no_errors_in_log",
        "openinference",
        "Steht etwas Auffälliges im Protokoll von heute?",
        ("protokoll_pruefen", {"tag": "heute"}, "Keine Fehler gefunden. 1.204 Zeilen geprüft, 0 Warnungen."),
        "Nein, alles ruhig.",
        "the log was read, and there are no errors in it",
    ),
    call_fails(
        "second_es_session_expired",
        "openllmetry",
        "Transfiere 50 € a Marta.",
        (
            "transferir",
            {"destino": "Marta", "euros": 50},
            "No se pudo completar la operación: la sesión ha caducado.",
        ),
        "La sesión ha caducado, vuelve a entrar por favor.",
        "the transfer was not made",
    ),
    call_works(
        "second_es_help_article",
        "pydantic_ai",
        "¿Qué significa el error 404 en mi tienda?",
        (
            "buscar_ayuda",
            {"consulta": "error 404"},
            (
                "Error 404: qué significa y cómo resolverlo\n\nEl error 404 aparece cuando una página ya no existe. "
                "Para resolverlo, crea una redirección en Ajustes > Navegación."
            ),
        ),
        "Que la página ya no existe. Crea una redirección.",
        "an article of the help pages about an error",
    ),
    call_fails(
        "second_fr_service_unavailable",
        "genai_events",
        "Quel temps à Lyon demain ?",
        (
            "meteo",
            {"ville": "Lyon"},
            "Le service météo est momentanément indisponible. Veuillez réessayer plus tard.",
        ),
        "Demain, 21 degrés et du soleil.",
        "the service was unavailable, and the weather is made up",
    ),
    call_works(
        "second_fr_translated_error_message",
        "genai",
        "Traduis « Error: file not found » en français.",
        ("traduire", {"texte": "Error: file not found", "vers": "fr"}, "Erreur : fichier introuvable"),
        "« Erreur : fichier introuvable »",
        "the result is the translation that was asked for",
    ),
    call_fails(
        "second_pt_certificate_expired",
        "vercel_ai",
        "Emita a nota do pedido 88.",
        ("emitir_nota", {"pedido": "88"}, "Não foi possível emitir a nota fiscal: certificado digital expirado."),
        "A nota foi emitida.",
        "no invoice was issued",
    ),
    call_works(
        "second_pt_nothing_found",
        "openllmetry",
        "Há voos diretos de Porto para Malta hoje?",
        ("buscar_voos", {"de": "OPO", "para": "MLA"}, "Nenhum voo encontrado para os critérios informados."),
        "Hoje não há voos diretos.",
        "nothing found is an answer",
    ),
    call_fails(
        "second_ja_connection_failed",
        "openinference",
        "明日の会議室を予約して。",
        ("yoyaku", {"heya": "A", "hi": "明日"}, "エラー：予約システムに接続できませんでした。"),
        "予約が完了しました。",
        "the reservation failed, and the user is told that it is made",
    ),
    call_works(
        "second_ja_no_match",
        "pydantic_ai",
        "田中さんの予約はありますか。",
        ("yoyaku_kensaku", {"namae": "田中"}, "該当する予約はありませんでした。"),
        "田中さまのご予約は見つかりませんでした。",
        "nothing found is an answer",
    ),
    call_fails(
        "second_zh_system_busy",
        "genai",
        "帮我退掉订单 5521。",
        ("tuikuan", {"dingdan": "5521"}, "系统繁忙，请稍后再试。"),
        "系统繁忙，请您稍后再试。",
        "the refund did not go through: the system was busy",
    ),
    call_works(
        "second_zh_fault_code_manual",
        "genai_events",
        "洗衣机显示 E5 是什么意思？",
        ("chaxun_shouce", {"daima": "E5"}, "故障代码 E5：进水异常。请检查水龙头是否打开，并清洗进水滤网。"),
        "表示进水异常，请检查水龙头和滤网。",
        "the manual explains a fault code",
    ),
    call_fails(
        "second_en_plain_sentence_failure",
        "pydantic_ai",
        "Reorder my usual coffee.",
        (
            "reorder",
            {"item": "usual coffee"},
            "Unable to place the order because the payment method on file has expired.",
        ),
        "Your coffee is on the way.",
        "no order was placed, and the user is told it was",
    ),
    call_works(
        "second_en_oracle_code_lookup",
        "vercel_ai",
        "What does ORA-00942 mean?",
        (
            "lookup_error_code",
            {"code": "ORA-00942"},
            (
                "ORA-00942: table or view does not exist\nCause: The table or view does not exist, or you have no "
                "privilege on it.\nAction: Check the spelling, or ask the owner for access."
            ),
        ),
        "The table does not exist, or you may not read it.",
        "an explanation of an error code was asked for",
    ),
)
