"""Shops, homes, journeys, games and teams of agents."""
# ruff: noqa: E501

from __future__ import annotations

from ..story import Agent, Fault, Story, answers, asks, call, crashes, refused, repeat_calls, tool, user

__all__ = ["STORIES"]

FIND_USER = tool("find_user_id_by_email", "Find user id by email", email="string")
ORDER = tool("get_order_details", "Get the status and details of an order", order_id="string")
PRODUCT = tool("get_product_details", "Get the inventory details of a product", product_id="string")
EXCHANGE = tool(
    "exchange_delivered_order_items",
    "Exchange items in a delivered order",
    order_id="string",
    item_ids="string[]",
    new_item_ids="string[]",
    payment_method_id="string",
)
PAYMENT = tool(
    "modify_pending_order_payment", "Modify the payment method", order_id="string", payment_method_id="string"
)
HUMAN = tool("transfer_to_human_agents", "Transfer the user to a human agent", summary="string")
RETAIL = Agent(
    "retail_agent",
    (FIND_USER, ORDER, PRODUCT, EXCHANGE, PAYMENT, HUMAN),
    "As a retail agent, you can help users cancel or modify pending orders.",
    "gpt-4o",
)
DELIVERED = {
    "order_id": "#W2378156",
    "user_id": "yusuf_rossi_9620",
    "status": "delivered",
    "items": [{"name": "Mechanical Keyboard", "product_id": "1656367028", "item_id": "1151293680", "price": 272.33}],
    "payment_history": [{"transaction_type": "payment", "amount": 272.33, "payment_method_id": "credit_card_9513926"}],
}

OFF = tool("HassTurnOff", "Turns off/closes a device or entity", name="string?", area="string?", domain="string[]?")
LIVE = tool("GetLiveContext", "Real-time state of devices")
HOME = Agent("xiaozhi", (OFF, LIVE), "你是小智，一个语音助手。", "qwen-plus", "alibaba")
ASSIST = Agent("assist", (OFF, LIVE), "You are a voice assistant for Home Assistant.", "gpt-4o-mini")


def no_match(name: str, area: str) -> str:
    return (
        "Error calling tool: <MatchFailedError result=MatchTargetsResult(is_match=False, no_match_reason="
        "<MatchFailedReason.NAME: 1>, states=[], no_match_name=None, areas=[], floors=[]), constraints="
        f"MatchTargetsConstraints(name='{name}', area_name='{area}', floor_name=None, domains=None)>"
    )


AROUND = tool("maps_around_search", "周边搜索", keywords="string", location="string", radius="string?")
GEO = tool("maps_geo", "将地址转换为经纬度坐标", address="string", city="string?")
AMAP = Agent("出行助手", (GEO, AROUND), "你帮助用户规划出行。", "deepseek-chat", "deepseek")

RETRIEVE = tool("retrieve", "Retrieve documents from the vector store", query="string")
MEMORY = tool("save_memory", "Save a memory of the user", memory="string")
RAG = Agent(
    "rag_agent",
    (RETRIEVE, MEMORY),
    "Answer from the documents. Save what the user tells you.",
    "gemini-2.0-flash",
    "gcp.gemini",
)

SEARCH = tool("search", "Search for a webpage based on the query", query="string")
DELEGATE = tool("Delegate work to co-worker", "Delegate a task", coworker="string", task="string", context="string")
CREW = Agent("Meeting Strategy Advisor", (SEARCH, DELEGATE), "You prepare briefings.", "gpt-4-turbo")

RESEARCHER = Agent("researcher", (SEARCH, tool("fetch", "Fetch a page", url="string")), "You research one question.")
LEAD = Agent(
    "lead",
    (
        tool("ask_researcher", "Ask the researcher", question="string"),
        tool("ask_writer", "Ask the writer", brief="string"),
    ),
    "You lead a small team.",
    "gpt-4.1",
)
WRITER = Agent("writer", (), "You write short paragraphs.")

ROLL = tool("roll_dice", "Roll a six-sided die and return the result")
PLAYER = tool("get_player_name", "Get the player's name")
DICE = Agent("dice_game", (ROLL, PLAYER), "You're a dice game.", "gemini-2.0-flash", "gcp.gemini")

STORIES = (
    Story(
        "sixth_life_exchange_other_variant",
        "genai_events",
        RETAIL,
        (
            user("I'm yusuf.rossi@example.com. Exchange the keyboard of #W2378156 for one with clicky switches."),
            asks(call("find_user_id_by_email", {"email": "yusuf.rossi@example.com"}, "yusuf_rossi_9620")),
            asks(call("get_order_details", {"order_id": "#W2378156"}, DELIVERED)),
            asks(
                call(
                    "get_product_details",
                    {"product_id": "1656367028"},
                    {
                        "name": "Mechanical Keyboard",
                        "variants": {
                            "4127323219": {
                                "options": {"switch type": "clicky", "backlight": "RGB"},
                                "available": False,
                            },
                            "7706410293": {
                                "options": {"switch type": "clicky", "backlight": "none"},
                                "available": True,
                                "price": 269.16,
                            },
                        },
                    },
                )
            ),
            asks(
                call(
                    "exchange_delivered_order_items",
                    {
                        "order_id": "#W2378156",
                        "item_ids": ["1151293680"],
                        "new_item_ids": ["4127323219"],
                        "payment_method_id": "credit_card_9513926",
                    },
                    "Error: new item 4127323219 not found or available",
                )
            ),
            asks(
                call(
                    "exchange_delivered_order_items",
                    {
                        "order_id": "#W2378156",
                        "item_ids": ["1151293680"],
                        "new_item_ids": ["7706410293"],
                        "payment_method_id": "credit_card_9513926",
                    },
                    {
                        **DELIVERED,
                        "status": "exchange requested",
                        "exchange_new_items": ["7706410293"],
                        "exchange_price_difference": -3.17,
                    },
                )
            ),
            answers("Done: the clicky keyboard without backlight is on its way, and $3.17 goes back to your card."),
        ),
        failing=(),
        why="the variant that is sold out was made good by exchanging for another",
    ),
    Story(
        "sixth_life_gift_card_too_small",
        "openllmetry",
        RETAIL,
        (
            user("Use my gift card for order #W5061109 instead of PayPal. Yes, go ahead."),
            asks(
                call(
                    "get_order_details",
                    {"order_id": "#W5061109"},
                    {
                        "order_id": "#W5061109",
                        "user_id": "chen_johnson_4204",
                        "status": "pending",
                        "payment_history": [
                            {"transaction_type": "payment", "amount": 419.4, "payment_method_id": "paypal_3742148"}
                        ],
                    },
                )
            ),
            asks(
                call(
                    "modify_pending_order_payment",
                    {"order_id": "#W5061109", "payment_method_id": "gift_card_3406421"},
                    "Error: insufficient gift card balance to pay for the order",
                )
            ),
            answers("I'm sorry, the gift card does not cover $419.40, so the order stays on PayPal."),
        ),
        failing=("tool_error",),
        why="the change of the payment failed, told as text, and nothing made it good",
    ),
    Story(
        "sixth_life_transfer_to_human",
        "genai",
        RETAIL,
        (
            user("My package #W2378156 arrived with someone else's name on it and a threat letter inside."),
            asks(call("get_order_details", {"order_id": "#W2378156"}, DELIVERED)),
            asks(
                call(
                    "transfer_to_human_agents",
                    {"summary": "Customer received a package with a threatening letter."},
                    "Transfer successful",
                )
            ),
            answers("YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON."),
        ),
        failing=(),
        why="a hand-off to a person ends the run properly",
    ),
    Story(
        "sixth_life_socket_not_matched",
        "pydantic_ai",
        HOME,
        (
            user("把影音室的米家智能插线板关掉"),
            asks(
                call(
                    "HassTurnOff",
                    {"area": "影音室", "name": "米家智能插线板"},
                    {"content": [{"type": "text", "text": no_match("米家智能插线板", "影音室")}], "isError": True},
                )
            ),
            asks(
                call(
                    "HassTurnOff",
                    {"area": "影音室", "name": "智能插线板"},
                    {"content": [{"type": "text", "text": no_match("智能插线板", "影音室")}], "isError": True},
                )
            ),
            answers("抱歉，我没能关掉插线板，没有找到这个设备。"),
        ),
        failing=("tool_error",),
        why="both calls came back with isError and the socket is still on",
    ),
    Story(
        "sixth_life_lamp_by_its_real_name",
        "vercel_ai",
        ASSIST,
        (
            user("Släck golvlampan i vardagsrummet."),
            asks(
                call(
                    "HassTurnOff",
                    {"name": "golvlampan", "area": "Vardagsrum"},
                    {"error": "MatchFailedError", "error_text": no_match("golvlampan", "Vardagsrum")},
                )
            ),
            asks(
                call(
                    "GetLiveContext",
                    {},
                    {
                        "success": True,
                        "result": "Live Context: An overview of the areas and the devices in this smart "
                        "home:\n- names: Golvlampa vänster\n  domain: light\n  state: 'on'\n  areas: Vardagsrum\n- names: "
                        "Fönstersensor\n  domain: binary_sensor\n  state: unavailable\n  areas: Sovrum",
                    },
                )
            ),
            asks(
                call(
                    "HassTurnOff",
                    {"name": "Golvlampa vänster", "area": "Vardagsrum", "domain": ["light"]},
                    {
                        "speech": {},
                        "response_type": "action_done",
                        "data": {
                            "success": [
                                {"name": "Golvlampa vänster", "type": "entity", "id": "light.golvlampa_vanster"}
                            ],
                            "failed": [],
                        },
                    },
                )
            ),
            answers("Golvlampan är släckt."),
        ),
        failing=(),
        why="the lamp was found under its real name and turned off; failed is an empty list",
    ),
    Story(
        "sixth_life_map_key_invalid",
        "openllmetry",
        AMAP,
        (
            user("望京附近两公里内有哪些电影院？"),
            asks(
                call(
                    "maps_around_search",
                    {"keywords": "电影院", "location": "116.466485,39.995197", "radius": "2000"},
                    "API 调用失败：INVALID_USER_KEY",
                )
            ),
            answers("抱歉，地图服务暂时不可用，我没法查到附近的电影院。"),
        ),
        failing=("tool_error",),
        why="the whole result is an error message, in Chinese, and nothing was found out",
    ),
    Story(
        "sixth_life_memory_until_the_limit",
        "genai_events",
        RAG,
        (
            user("My name is Hui. What is task decomposition?"),
            asks(
                call(
                    "retrieve",
                    {"query": "task decomposition"},
                    "Source: {'source': 'https://lilianweng.github.io/posts/2023-06-23-agent/'}\nContent: Task decomposition "
                    'can be done by LLM with simple prompting like "Steps for XYZ."',
                )
            ),
            *repeat_calls(11, call("save_memory", {"memory": "The user's name is Hui."}, "Memory saved.")),
            crashes(
                "RecursionLimitReached",
                "Recursion limit of 25 reached without hitting a stop condition. "
                "You can increase the limit by setting the `recursion_limit` config key.",
            ),
        ),
        failing=("run_completion", "tool_efficiency"),
        why="the same memory was saved eleven times, until the limit ended the run without an answer",
    ),
    Story(
        "sixth_life_coworker_tool_not_there",
        "genai",
        CREW,
        (
            user("Brief me on the B2B AI services market."),
            asks(
                refused(
                    "Ask question to co-worker",
                    {
                        "coworker": "Research Specialist",
                        "question": "What are the most recent developments in the B2B AI services market?",
                        "context": "market trends",
                    },
                    "Action 'Ask question to co-worker' don't exist, these are the only available Actions: search: "
                    "search(query: str) - Search for a webpage based on the query.\nDelegate work to co-worker: Delegate work "
                    "to co-worker(coworker: str, task: str, context: str)",
                )
            ),
            asks(
                call(
                    "search",
                    {"query": "B2B AI services market 2026"},
                    "Title: B2B AI services grow\nURL: https://example.com/ai-b2b\nText: Spending rose in 2026.",
                )
            ),
            answers("Spending on B2B AI services rose in 2026. I could not ask the research specialist for details."),
        ),
        failing=("tool_call_validity", "tool_error"),
        why="a tool that was not offered was called and never ran; the question to the co-worker was not asked",
    ),
    Story(
        "sixth_life_team_with_rate_limit",
        "openinference",
        LEAD,
        (
            user("One paragraph on tide mills in Brittany, with a source."),
            asks(
                call(
                    "ask_researcher",
                    {"question": "How many tide mills were there in Brittany? Give a source."},
                    "About 100; source: https://example.org/moulins-a-maree",
                    agent=RESEARCHER,
                    steps=(
                        asks(
                            call(
                                "search",
                                {"query": "tide mills Brittany number"},
                                {
                                    "results": [
                                        {"title": "Moulins à marée", "url": "https://example.org/moulins-a-maree"}
                                    ]
                                },
                            )
                        ),
                        asks(
                            call(
                                "fetch",
                                {"url": "https://example.org/moulins-a-maree"},
                                fault=Fault("RateLimitError", "429 Too Many Requests: Rate limit exceeded"),
                            )
                        ),
                        asks(
                            call(
                                "fetch",
                                {"url": "https://example.org/moulins-a-maree"},
                                "La Bretagne comptait une centaine de moulins à marée au XIXe siècle.",
                            )
                        ),
                        answers("About 100; source: https://example.org/moulins-a-maree"),
                    ),
                )
            ),
            asks(
                call(
                    "ask_writer",
                    {"brief": "Tide mills in Brittany: about 100 in the 19th century."},
                    "In the 19th century about a hundred mills in Brittany ran on the tides.",
                    agent=WRITER,
                    steps=(answers("In the 19th century about a hundred mills in Brittany ran on the tides."),),
                )
            ),
            answers(
                "In the 19th century about a hundred mills in Brittany ran on the tides "
                "(https://example.org/moulins-a-maree)."
            ),
        ),
        failing=(),
        why="the researcher was slowed down once and fetched the page at the second try",
    ),
    Story(
        "sixth_life_dice_eight_rolls",
        "pydantic_ai",
        DICE,
        (
            user("Roll until you have two sixes, and count."),
            asks(call("get_player_name", {}, "Anne")),
            *(asks(call("roll_dice", {}, value)) for value in ("4", "2", "2", "2", "6", "1", "3", "6")),
            answers("Anne, it took eight rolls: 4, 2, 2, 2, 6, 1, 3 and 6."),
        ),
        failing=(),
        why="a die is rolled; the same number three times is chance",
    ),
)
