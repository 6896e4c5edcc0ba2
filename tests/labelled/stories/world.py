"""Support in the languages of users: Spanish, French, Portuguese, Japanese, Chinese."""

from __future__ import annotations

from ..story import Agent, Story, answers, asks, call, tool, user

__all__ = ["STORIES"]

BOOKING = tool("buscar_reserva", "Busca una reserva", localizador="string")
TRAIN = tool("rechercher_train", "Cherche un train", depart="string", arrivee="string", date="string")
PIX = tool("enviar_pix", "Envia um Pix", chave="string", valor="number")
STOCK = tool("在庫確認", "在庫を確認する", 商品="string")
PARCEL = tool("query_parcel", "查询快递", number="string")
MANUAL = tool("buscar_manual", "Busca en el manual", consulta="string")
HOTEL = Agent("hotel_es", (BOOKING, MANUAL), "Eres el asistente de una cadena de hoteles.")
RAIL = Agent("rail_fr", (TRAIN,), "Tu aides les voyageurs.")
BANK = Agent("banco_pt", (PIX,), "Você é o assistente de um banco.")
SHOP = Agent("shop_ja", (STOCK,), "あなたは家電店の店員です。")
EXPRESS = Agent("express_zh", (PARCEL,), "你是快递公司的客服。")

STORIES = (
    Story(
        "world_spanish_booking_error",
        "genai",
        HOTEL,
        (
            user("¿A nombre de quién está la reserva KX91?"),
            asks(
                call(
                    "buscar_reserva",
                    {"localizador": "KX91"},
                    "Error: no se pudo consultar la reserva. Inténtelo más tarde.",
                )
            ),
            answers("Ahora mismo no puedo consultar la reserva, lo siento."),
        ),
        failing=("tool_error",),
        why="the whole result is an error message in Spanish",
    ),
    Story(
        "world_spanish_manual_on_errors",
        "openinference",
        HOTEL,
        (
            user("¿Qué hago si el TPV dice error 07?"),
            asks(
                call(
                    "buscar_manual",
                    {"consulta": "TPV error 07"},
                    {
                        "resultados": [
                            {"titulo": "Errores del TPV", "texto": "Error 07: tarjeta retenida. Llame al banco."}
                        ]
                    },
                )
            ),
            answers("El error 07 significa que la tarjeta está retenida: llame al banco."),
        ),
        failing=(),
        why="the manual explains an error; the search worked",
    ),
    Story(
        "world_french_train_error",
        "vercel_ai",
        RAIL,
        (
            user("Un train pour Lille demain matin ?"),
            asks(
                call(
                    "rechercher_train",
                    {"depart": "Paris", "arrivee": "Lille", "date": "2026-11-24"},
                    "Erreur : le service de réservation est indisponible.",
                )
            ),
            answers("Le service est indisponible pour le moment, réessayez plus tard."),
        ),
        failing=("tool_error",),
        why="the whole result is an error message in French",
    ),
    Story(
        "world_french_train_found",
        "vercel_ai",
        RAIL,
        (
            user("Un train pour Lille demain matin ?"),
            asks(
                call(
                    "rechercher_train",
                    {"depart": "Paris", "arrivee": "Lille", "date": "2026-11-24"},
                    {"trains": [{"numero": "7010", "depart": "07:16", "prix": 34}], "erreur": None, "error": ""},
                )
            ),
            answers("Le TGV 7010 part à 7 h 16, à partir de 34 €."),
        ),
        failing=(),
        why="a train was found; the error fields are empty",
    ),
    Story(
        "world_portuguese_pix_refused",
        "pydantic_ai",
        BANK,
        (
            user("Manda 50 reais pra maria@exemplo.com.br"),
            asks(call("enviar_pix", {"chave": "maria@exemplo.com.br", "valor": 50}, "Erro: saldo insuficiente.")),
            answers("Seu saldo não é suficiente para este Pix."),
        ),
        failing=("tool_error",),
        why="the payment failed, told in Portuguese",
    ),
    Story(
        "world_portuguese_pix_sent",
        "openllmetry",
        BANK,
        (
            user("Manda 50 reais pra maria@exemplo.com.br"),
            asks(
                call(
                    "enviar_pix",
                    {"chave": "maria@exemplo.com.br", "valor": "50.00"},
                    {"status": "concluido", "erros": [], "errors": []},
                )
            ),
            answers("Pronto, enviei R$ 50,00 para Maria."),
        ),
        failing=(),
        why='"50.00" converts to a number without loss, and the payment went through',
    ),
    Story(
        "world_japanese_stock",
        "genai_events",
        SHOP,
        (
            user("炊飯器の在庫はありますか。"),
            asks(call("在庫確認", {"商品": "炊飯器"}, "在庫なし（入荷予定：12月3日）")),
            answers("申し訳ございません、現在在庫がございません。12月3日に入荷予定です。"),
        ),
        failing=(),
        why="out of stock is an answer in Japanese, and no failure",
    ),
    Story(
        "world_chinese_parcel_error",
        "openllmetry",
        EXPRESS,
        (
            user("我的快递到哪里了？单号 SF1038842"),
            asks(call("query_parcel", {"number": "SF1038842"}, "错误：查询失败，请稍后重试。")),
            answers("抱歉，系统暂时无法查询，请稍后再试。"),
        ),
        failing=("tool_error",),
        why="the whole result is an error message in Chinese",
    ),
    Story(
        "world_chinese_parcel_second_try",
        "genai",
        EXPRESS,
        (
            user("我的快递到哪里了？单号 SF1038843"),
            asks(call("query_parcel", {"number": "SF1038843"}, "错误：查询失败，请稍后重试。")),
            asks(call("query_parcel", {"number": "SF1038843"}, "快件已到达【杭州转运中心】，预计明天派送。")),
            answers("您的快递已到杭州转运中心，预计明天派送。"),
        ),
        failing=(),
        why="the second try of the query succeeded",
    ),
    Story(
        "world_german_cut_off_by_filter",
        "genai",
        Agent("pressestelle", (), "Du schreibst Pressemitteilungen."),
        (
            user("Schreib eine Mitteilung zum Brand im Lager."),
            answers("Am Dienstagabend kam es in unserem Lager zu einem", "content_filter"),
        ),
        failing=("run_completion",),
        why="a content filter cut the answer off",
    ),
)
