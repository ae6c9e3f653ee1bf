"""The kernel of the page says what ipykernel says, message by message."""

import json
import re
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest
from jupyter_client.manager import KernelManager

SCRIPT = Path(__file__).with_name("conversation.py")
LEFT_OUT = {"shutdown_reply", "debug_event"}
# Only ipykernel says these: which engine of ipyparallel it is.
OWN = {"engine_info"}

CELLS = {
    "value": "x = 3\nx * 2",
    "printed": "for i in range(3):\n    print(i)\nprint('end', end='')",
    "both streams": "import sys\nprint('a')\nprint('b', file=sys.stderr)\nprint('c')",
    "nothing": "None",
    "displayed": "display({'text/plain': 'words', 'text/html': '<b>w</b>'}, raw=True)",
    "picture": (
        "class P:\n    def _repr_png_(self): return b'\\x89PNG' * 20\n"
        "    def __repr__(self): return 'P'\nP()"
    ),
    "updated": "h = display('old', display_id='d'); print('between'); h.update('new')",
    "cleared": "from IPython.display import clear_output\nprint('a')\nclear_output(wait=True)\n5",
    "several": "display(1); print(2); display(3); 4",
    "error": "def f(z):\n    return 1 / z\nf(0)",
    "after output": "print('before'); undefined",
    "syntax": "for",
    "bad words for itself": "class Q:\n    def __repr__(self): raise ValueError('no')\nQ()",
    "exit": "raise SystemExit(3)",
    "warning": "import warnings; warnings.warn('careful')",
    "question": "len?",
    "next cell": "get_ipython().set_next_input('a = 1')",
    "nan": "display({'text/plain': 'n', 'application/json': [1.5, (2, None), True]}, raw=True)",
    "magic": "%who_ls int",
    "history of values": "Out[1] if 1 in Out else sorted(Out)[:1]",
    "math": "from IPython.display import Math\nMath('x^2')",
    "widget": "import ipywidgets as w\ns = w.IntSlider(3, 0, 9)\ns",
    "widget moved": "s.value = 5\ns.value",
    "widget called": "s.observe(lambda change: print('moved to', change.new), 'value')",
    "output widget": "o = w.Output()\nwith o:\n    print('inside')\no",
    "output widget fails": "with o:\n    1 / 0\nprint('goes on')",
}


def request(kind, content, number=0):
    header = {"msg_id": f"m{number}", "msg_type": kind, "session": "s", "username": "u"}
    header |= {"date": "2026-01-01T00:00:00Z", "version": "5.3"}
    return {"header": header, "parent_header": {}, "metadata": {}, "content": content}


def run(code, **more):
    return "execute_request", {"code": code, "silent": False, "store_history": True, **more}


def page(requests):
    """What the kernel of the page sends for each request."""
    numbered = [request(*each, number) for number, each in enumerate(requests)]
    command = [sys.executable, str(SCRIPT)]
    done = subprocess.run(
        command, input=json.dumps(numbered), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    sent = [json.loads(line) for line in done.stdout.splitlines()]
    names = [each["header"]["msg_id"] for each in numbered]
    return [[m for m in sent if m["parent_header"].get("msg_id") == name] for name in names]


@pytest.fixture(scope="module")
def ipykernel():
    """Asks an ipykernel, and returns what it sends for each request."""
    manager = KernelManager()
    manager.start_kernel(extra_arguments=["--IPCompleter.use_jedi=False"])
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=60)

    def ask(requests):
        answers = []
        for kind, content in requests:
            message = client.session.msg(kind, content)
            client.shell_channel.send(message)
            reply = kind.endswith("_request")
            answers.append(collect(client, message["header"]["msg_id"], reply))
        return answers

    yield ask
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def collect(client, name, reply):
    """All messages for one request: those for everybody, then the answer."""
    sent = []
    while not sent or sent[-1]["content"].get("execution_state") != "idle":
        message = client.get_iopub_msg(timeout=60)
        if message["parent_header"].get("msg_id") == name:
            sent.append(message)
    if reply:
        answer = client.get_shell_msg(timeout=60)
        while answer["parent_header"]["msg_id"] != name:
            answer = client.get_shell_msg(timeout=60)
        sent.insert(-1, answer)
    return sent


def told(messages):
    """Kind and content of each message, without what is different in every process."""
    kept = [(m["header"]["msg_type"], dict(m["content"])) for m in messages]
    kept = [(kind, content) for kind, content in kept if kind not in LEFT_OUT]
    kept = joined([(kind, {k: v for k, v in c.items() if k not in OWN}) for kind, c in kept])
    words = anonymous(json.dumps(kept, sort_keys=True, default=str))
    return [(kind, *sorted(content.items())) for kind, content in json.loads(words)]


def joined(kept):
    """What is printed in one go, joined for each stream: when ipykernel sends it is chance."""
    whole = []
    for printed, group in groupby(kept, key=lambda each: each[0] == "stream"):
        if not printed:
            whole += group
            continue
        texts = {}
        for _, content in group:
            texts[content["name"]] = texts.get(content["name"], "") + content["text"]
        whole += [("stream", {"name": name, "text": texts[name]}) for name in sorted(texts)]
    return whole


def anonymous(text):
    """Names drawn at random by the order in which they appear; places in memory and files too."""
    text = re.sub(r"(?:[^\" ]*/)?(?:(?:ipykernel_\d+|cells)/)?\d{5,}\.py", "CELL.py", text)
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{24}_\d+_(\d+)|\bm\d+", "REQUEST", text)
    text = re.sub(r"0x[0-9a-f]{6,}", "0x", text)
    seen = {}
    parts = re.split(r"([0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})", text)
    return "".join(
        f"<{seen.setdefault(part, len(seen))}>" if i % 2 else part for i, part in enumerate(parts)
    )


def test_what_tells_two_conversations_apart():
    once, twice = anonymous("a" * 32 + "b" * 32), anonymous("c" * 32 + "d" * 32)
    assert once == twice != anonymous("a" * 32 + "a" * 32)
    one = {"name": "stdout", "text": "a"}
    assert len(joined([("stream", one), ("stream", one), ("status", {})])) == 2


def test_the_same_cells_give_the_same_messages(ipykernel):
    requests = [run(code) for code in CELLS.values()]
    theirs, ours = ipykernel(requests), page(requests)
    # ipykernel's counter begins where its own readiness check left it: at 1, as here.
    for name, their, our in zip(CELLS, theirs, ours, strict=True):
        if name == "bad words for itself":  # ipykernel names this error None, a page its kind
            their[-2]["content"] |= {"ename": "ValueError", "evalue": "no"}
        assert told(our) == told(their), name


QUESTIONS = [
    run("number = 12\nnumbers = [1]\nimport math"),
    run("1 + 1", silent=True, store_history=False),
    run("3", user_expressions={"double": "2 * number", "bad": "1 / 0"}),
    run("number", store_history=False),
    ("complete_request", {"code": "num", "cursor_pos": 3}),
    ("complete_request", {"code": "math.fact", "cursor_pos": 9}),
    ("complete_request", {"code": "nothing_like_it", "cursor_pos": 15}),
    ("inspect_request", {"code": "len(numbers)", "cursor_pos": 2, "detail_level": 0}),
    ("inspect_request", {"code": "math.factorial", "cursor_pos": 9, "detail_level": 1}),
    ("inspect_request", {"code": "nobody", "cursor_pos": 3, "detail_level": 0}),
    ("is_complete_request", {"code": "for i in range(3):"}),
    ("is_complete_request", {"code": "number"}),
    ("is_complete_request", {"code": "a = )"}),
    ("comm_info_request", {"target_name": "jupyter.widget"}),
]


def test_the_same_questions_have_the_same_answers(ipykernel):
    ipykernel([run("%reset -f")])
    theirs = ipykernel(QUESTIONS)
    count = theirs[0][-2]["content"]["execution_count"]
    ours = page([run("1")] * (count - 1) + QUESTIONS)[count - 1 :]
    for asked, their, our in zip(QUESTIONS, theirs, ours, strict=True):
        if asked[0] == "comm_info_request":  # theirs holds the widgets of the cells above
            assert our[1]["content"] == {"status": "ok", "comms": {}}
        else:
            assert told(our) == told(their), asked


def test_a_kernel_introduces_itself_as_the_protocol_asks(ipykernel):
    asked = [("kernel_info_request", {}), ("history_request", {"hist_access_type": "tail"})]
    theirs, ours = ipykernel(asked[:1]), page(asked)
    their, our = theirs[0][1]["content"], ours[0][1]["content"]
    assert their["language_info"] == our["language_info"]
    assert set(their) - set(our) <= {"supported_features", "debugger"}
    assert ours[1][1]["content"] == {"status": "ok", "history": []}


SLIDER = """
import comm, ipywidgets as w
s = w.IntSlider(3, 0, 9, comm=comm.create_comm("jupyter.widget", comm_id="slider"))
s.observe(lambda change: print("moved to", change.new), "value")
"""


def to_slider(kind, data):
    return kind, {"comm_id": "slider", "data": data}


def test_a_slider_moved_in_the_page_moves_in_python(ipykernel):
    moves = [
        run("%reset -f"),
        run(SLIDER),
        to_slider("comm_msg", {"method": "update", "state": {"value": 7}}),
        to_slider("comm_msg", {"method": "request_state"}),
        to_slider("comm_close", {}),
        to_slider("comm_msg", {"method": "request_state"}),
        ("comm_open", {"comm_id": "other", "target_name": "nobody", "data": {}}),
    ]
    theirs, ours = ipykernel(moves), page(moves)
    for their, our in zip(theirs[2:], ours[2:], strict=True):
        assert told(our) == told(their)
    assert "moved to 7" in str(told(ours[2]))


def test_buffers_travel_as_they_are():
    code = "import comm\nc = comm.create_comm(target_name='t')\nc.send({}, buffers=[b'\\x00\\xff'])"
    (sent,) = page([run(code)])
    assert [m["buffers"] for m in sent if m["header"]["msg_type"] == "comm_msg"] == [["00ff"]]
