"""What must be so of each instrument in a page; each check gives its faults as sentences."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from playwright.sync_api import Locator, TimeoutError

PARTS = ("picture", "sentence", "table")
State = dict[str, str]


def read(root: Locator) -> State:
    """What an instrument shows, once the kernel has finished with all that was sent."""
    return root.evaluate("root => dpviz.read(root)")


def press(root: Locator, *keys: str) -> State:
    """Type keys, one after the other, waiting for the picture after each."""
    for key in keys:
        root.page.keyboard.press(key)
        state = read(root)
    return state


def click(button: Locator) -> None:
    """Press a button with the mouse, once it stands still on the screen."""
    at = button.evaluate("dpviz.aim")
    button.page.mouse.click(at["x"], at["y"])


def label(control: Locator) -> str:
    """The words beside a slider or a choice."""
    return control.locator("xpath=ancestor::*[.//label][1]").locator("label").first.text_content()


class Slider:
    """One handle of a slider, worked with the mouse as a hand does."""

    def __init__(self, root: Locator, handle: Locator):
        self.root, self.handle, self.name = root, handle, f"slider {label(handle)}"

    def track(self) -> dict:
        """Middle of the handle, left end and width of its track, the value it tells."""
        return self.handle.evaluate("handle => dpviz.track(handle)")

    @property
    def value(self) -> str:
        """What the handle tells a screen reader."""
        return self.track()["value"]

    @property
    def place(self) -> float:
        """Where the handle is, from 0 (left) to 1 (right)."""
        track = self.track()
        return (track["x"] - track["left"]) / track["width"]

    def drag(self, *places: float, steps: int = 1) -> State:
        """Press, move to each place in turn, release."""
        track, mouse = self.track(), self.root.page.mouse
        mouse.move(track["x"], track["y"])
        mouse.down()
        for place in places:
            mouse.move(track["left"] + track["width"] * place, track["y"], steps=steps)
        mouse.up()
        return read(self.root)


def sliders(root: Locator) -> list[Slider]:
    """Every handle of every slider."""
    return [Slider(root, handle) for handle in root.locator(".noUi-handle").all()]


def words(choice: Locator) -> list[str]:
    """What a list offers."""
    return choice.evaluate("choice => [...choice.options].map((option) => option.value)")


def same(states: list[State], part: str) -> bool:
    """Whether a part is the same in all states."""
    return len({state[part] for state in states}) == 1


def silent(name: str, states: list[State], parts: tuple[str, ...] = PARTS) -> Iterator[str]:
    """The parts that are the same in all states, with the problem that the page tells."""
    problems = {state["problem"] for state in states} - {""}
    for part in parts:
        if same(states, part):
            yield " ".join([f"{name}: the {part} does not follow", *problems])


def settings(root: Locator) -> Iterator[None]:
    """The state now, then each preset: a control may have nothing to say in some of them."""
    yield
    for button in root.locator(".dpviz-preset").all():
        click(button)
        read(root)  # what it switches off is off only then
        yield


def follow_faults(slider: Slider) -> Iterator[str]:
    """Dragged to both ends, each part follows, now or under some preset."""
    still, states = PARTS, []
    for _ in settings(slider.root):
        states = [read(slider.root), slider.drag(0), slider.drag(1)]
        still = tuple(part for part in still if same(states, part))
        if not still:
            break
    yield from silent(slider.name, states, still)


def slider_faults(slider: Slider) -> Iterator[str]:
    """All parts follow the mouse, the arrows too, and a fast drag shows where it ended."""
    yield from follow_faults(slider)
    yield from arrow_faults(slider, slider.drag(0, 1, 0.5, steps=8))


def arrow_faults(slider: Slider, start: State) -> Iterator[str]:
    """Arrows move it, and there and back bring the same value and state again.

    If the state is then another one, it had started with a picture of an earlier value.
    """
    states, value = [start], slider.value
    there, back = ("ArrowLeft", "ArrowRight") if slider.place > 0.5 else ("ArrowRight", "ArrowLeft")
    slider.handle.focus()
    while len(states) <= 5 and same(states, "picture"):
        states.append(press(slider.root, there))
        if slider.value == value:
            yield f"{slider.name}: {there} does not move it"
    yield from silent(f"{slider.name}, by {there}", states, ("picture",))
    if press(slider.root, *[back] * (len(states) - 1)) != states[0] or slider.value != value:
        yield f"{slider.name}: a fast drag and arrows to the same value show different states"


def fast_faults(slider: Slider, presses: int = 60) -> Iterator[str]:
    """Keys faster than pictures: at the end, the last value's picture is seen."""
    slider.handle.focus()
    press(slider.root, "Home", "ArrowRight")
    for i in range(presses):
        slider.root.page.keyboard.press("ArrowRight" if i % 4 < 2 else "ArrowLeft")
    slider.root.page.keyboard.press("End")
    fast, value = read(slider.root), slider.value
    calm = press(slider.root, "Home", "End")
    if slider.value != value or calm != fast:
        yield f"{slider.name}: {presses} fast keys end with another state than slow ones"


def choice_faults(root: Locator, choice: Locator, most: int | None = None) -> Iterator[str]:
    """Where it acts: every word shows something else, the first one again the first state.

    With ``most``, so many words, and no keys.
    """
    if not any(choice.is_enabled() for _ in settings(root)):
        yield f"choice {label(choice)}: always off"
        return
    name, start, first = f"choice {label(choice)}", read(root), choice.input_value()
    for word in [word for word in words(choice) if word != first][:most]:
        choice.select_option(word)
        if read(root) == start:
            yield f"{name}: {word} shows the same as {first}"
    choice.select_option(first)
    if read(root) != start:
        yield f"{name}: back at {first}, it shows another state"
    if most is None:
        yield from choice_key_faults(root, choice, name)


def choice_key_faults(root: Locator, choice: Locator, name: str) -> Iterator[str]:
    """Space, an arrow and Enter choose another word."""
    first = choice.input_value()
    choice.focus()
    last = words(choice)[-1] == first
    press(root, "Space", "ArrowUp" if last else "ArrowDown", "Enter")
    if choice.input_value() == first:
        yield f"{name}: space, arrow, enter do not change it"
    choice.select_option(first)
    read(root)


def nudge(root: Locator) -> State:
    """Another state than now, by the first control that leads to one."""
    before = read(root)
    for slider in sliders(root):
        for place in (0, 1):
            if (state := slider.drag(place)) != before:
                return state
    for choice in root.locator("select:enabled").all():
        for word in words(choice):
            choice.select_option(word)
            if (state := read(root)) != before:
                return state
    return before


def preset_faults(root: Locator, twice: int | None = None) -> Iterator[str]:
    """Each preset shows something else than the one before, and the same when it comes again.

    With ``twice``, so many of them come again.
    """

    def shown(button: Locator) -> State:
        click(button)
        return read(root)

    buttons = root.locator(".dpviz-preset").all()
    first = [shown(button) for button in buttons]
    nudge(root)
    for i, button in enumerate(buttons):
        if i and first[i] == first[i - 1]:
            yield f"preset {button.text_content()}: nothing changes"
        if i in range(len(buttons))[:twice] and shown(button) != first[i]:
            yield f"preset {button.text_content()}: it shows another state the second time"


def again_faults(root: Locator) -> Iterator[str]:
    """A new draw shows something else, at least under one preset."""
    for again in root.locator(".dpviz-again").all():
        for _ in settings(root):
            before = read(root)
            if again.is_disabled():
                continue
            click(again)
            if read(root) != before:
                break
        else:
            yield "draw again: nothing changes"


def projector_faults(name: str, start: State, large: State, end: State) -> Iterator[str]:
    """The projector draws another picture of the same, and switched off the same picture."""
    yield from silent(f"{name}, projected", [start, large], ("picture",))
    if not same([start, large], "sentence") or not same([start, large], "table"):
        yield f"{name}, projected: more than the picture is another"
    if end != start:
        yield f"{name}: no longer projected, it shows another state"


def tab_faults(root: Locator) -> Iterator[str]:
    """Tab alone goes through every button, slider, choice and table; Shift+Tab goes back.

    What is held in a picture, such as forty bottles, is a stop each on the way.
    """
    count = root.evaluate("root => dpviz.trail(root)")
    most = 3 * count + root.locator("[data-held]").count()
    seen, pressed = [0], 0
    for key, end, limit in (("Tab", count - 1, most), ("Shift+Tab", 0, 2 * most)):
        while seen[-1] != end and pressed < limit:
            # So many controls are left at least; outside of them, a press at a time.
            times = abs(end - seen[-1]) if seen[-1] >= 0 else 1
            for _ in range(times):
                root.page.keyboard.press(key)
            pressed += times
            seen = root.page.evaluate("dpviz.visited()")
    turn = seen.index(count - 1) if count - 1 in seen else len(seen)
    if not set(range(count)) <= set(seen[: turn + 1]) or seen[-1] != 0:
        yield f"Tab, then Shift+Tab, go through {seen} of {count} controls"


def explorer_faults(root: Locator, whole: bool = True) -> Iterator[str]:
    """Everything above; or of each control one move, and of the first slider everything."""
    if not root.locator(".noUi-handle, select, [data-held]").count():
        yield "there is nothing to turn"
    for i, slider in enumerate(sliders(root)):
        yield from slider_faults(slider) if whole or not i else follow_faults(slider)
    for slider in sliders(root)[:1]:
        yield from fast_faults(slider, 60 if whole else 20)
    for choice in root.locator("select").all():
        yield from choice_faults(root, choice, None if whole else 1)
    yield from preset_faults(root, None if whole else 1)
    yield from tab_faults(root)
    yield from again_faults(root)


def awake_faults(root: Locator) -> Iterator[str]:
    """It follows the first control that it has; that each acts, `test_explorers` sees in all."""
    handles, choices = sliders(root), root.locator("select").all()
    if handles:
        yield from follow_faults(handles[0])
    elif choices:
        yield from choice_faults(root, choices[0], 1)
    elif not root.locator("[data-held]").count():
        yield "there is nothing to turn"


# Keys pressed after those of the line above.
WALK = {
    "home": ["Home"],
    "right": ["ArrowRight"],
    "far": ["ArrowRight", "ArrowRight"],
    "left": ["ArrowLeft", "ArrowLeft"],
    "end": ["End"],
}


def player_faults(root: Locator, whole: bool = True) -> Iterator[str]:
    """Keys, buttons and play lead through the same states; without ``whole``, keys do."""
    handle = root.locator(".dpviz-position .noUi-handle")
    handle.focus()
    states = {name: press(root, *keys) for name, keys in WALK.items()}
    yield from silent("position, by keys", list(states.values()))
    if states["left"] != states["right"]:
        yield "position: ArrowLeft does not undo ArrowRight"
    if not whole:
        return
    press(root, "Home")
    for name, wanted in (("step", "right"), ("back", "home")):
        root.locator(f".dpviz-{name}").click()
        if read(root) != states[wanted]:
            yield f"{name}: does not lead where the arrow key does"
    yield from play_faults(root, handle)
    yield from tab_faults(root)


def play_faults(root: Locator, handle: Locator) -> Iterator[str]:
    """Space plays and pauses; where it pauses, it shows what the keys show there."""
    handle.focus()
    start = press(root, "Home")
    root.locator(".dpviz-play button").first.focus()
    root.page.keyboard.press("Space")
    try:  # seen in the frame in which it comes: a short player would soon be at its end
        root.page.wait_for_function("e => e.ariaValueNow >= 2", arg=handle.element_handle())
    except TimeoutError:
        yield "play: space does not start it"
    paused = press(root, "Space")
    place = int(float(handle.get_attribute("aria-valuenow")))
    root.page.wait_for_timeout(700)  # ms: a state lasts 500
    if paused == start or read(root) != paused:
        yield "play: it stays at the start, or space does not pause it"
    handle.focus()
    if press(root, "Home", *["ArrowRight"] * place) != paused:
        yield "play: it shows another state than the keys"


Drawn = list[dict]  # of each element, its kind and its numbers


def between(old: Drawn, mid: Drawn, new: Drawn) -> tuple[int, list[str]]:
    """How many elements are on their way, and which are on none from the old to the new state."""
    moving, lost = 0, []
    for one, end in zip(mid, new, strict=True):
        kin = [e["at"] for e in old if e["kind"] == one["kind"]]
        ways = [zip(a, one["at"], end["at"], strict=True) for a in kin if len(a) == len(end["at"])]
        # A curve that gains points has, on its way, the points of both: it is not counted.
        if one["at"] == end["at"] or len(one["at"]) != len(end["at"]) or not ways:
            continue
        if any(all(min(a, b) <= x <= max(a, b) for a, x, b in way) for way in ways):
            moving += 1
        else:
            lost.append(f"{one['kind']} at {one['at']}")
    return moving, lost


def film(root: Locator, key: str) -> list[Drawn]:
    """What a player draws, frame by frame, after a key."""
    root.evaluate("root => { dpviz.reel = dpviz.film(root); }")
    root.page.keyboard.press(key)
    return root.page.evaluate("dpviz.reel")


def motion_faults(root: Locator, steps: int = 3) -> Iterator[str]:
    """Objects pass between two states, which are as they were sent; without motion none does."""
    root.locator(".dpviz-position .noUi-handle").focus()
    press(root, "Home")
    sent = [root.evaluate("root => dpviz.drawn(root)")]
    for _ in range(steps):
        old, *more, new = film(root, "ArrowRight")
        if more:
            yield f"under reduced motion there are {len(more)} frames between"
        sent.append(new)
    press(root, "Home")
    root.page.emulate_media(reduced_motion="no-preference")
    seen = 0
    for old, new in itertools.pairwise(sent):
        first, *more, last = film(root, "ArrowRight")
        if first != old or last != new:
            yield "after a move it is not the picture that was sent"
        for mid in more:
            moving, lost = between(old, mid, new)
            seen += moving
            yield from (f"not between two states: {one}" for one in lost)
    root.page.emulate_media(reduced_motion="reduce")
    if not seen:
        yield "nothing was seen on its way"


def key_faults(root: Locator) -> Iterator[str]:
    """Arrows step from the picture and from a button, and not from the list of speeds."""
    root.locator(".dpviz-position .noUi-handle").focus()
    states = [press(root, "Home"), press(root, "ArrowRight"), press(root, "ArrowRight")]
    press(root, "Home")
    root.locator(".dpviz-picture").click()
    if [press(root, "ArrowRight") for _ in states[1:]] != states[1:]:
        yield "arrows do nothing after a click on the picture"
    root.locator(".dpviz-step").focus()
    if press(root, "ArrowLeft") != states[1] or press(root, "Home") != states[0]:
        yield "keys do nothing on a button"
    root.locator("select").focus()
    if press(root, "ArrowRight") != states[0]:
        yield "the list of speeds steps the player"


def give(root: Locator, text: str) -> None:
    """Answer an exercise: type, choose, or lead each dot of a curve by keys.

    A hand takes longer to the button than the kernel to hear it: messages of two widgets that come
    at once may overtake each other there.
    """
    entry = root.locator(".dpviz-answer")
    if not entry.locator("[data-held]").count():
        places = entry.locator("select, input").all()
        for place, typed in zip(places, text.split(" | "), strict=True):
            listed = place.evaluate("place => place.tagName") == "SELECT"
            (place.select_option if listed else place.fill)(typed)
    else:
        for i, height in enumerate(text.split(",")):
            entry.locator(f"[data-mark='guess:{i}']").focus()
            tens, ones = divmod(round(100 * float(height)), 10)  # of a curve from 0 to 1
            for key in ("Home", *["Shift+ArrowUp"] * tens, *["ArrowUp"] * ones):
                root.page.keyboard.press(key)
            read(root)
    read(root)


def exercise_faults(
    root: Locator, right: str, wrong: str, praise: str, whole: bool = True
) -> Iterator[str]:
    """Wrong and right answers, hints and reset do what they say, in one that holds nothing back.

    Without ``whole`` it is answered only.
    """

    def after(name: str) -> str:
        click(root.locator(f".dpviz-{name}"))
        read(root)
        return root.locator(".dpviz-feedback").text_content().strip()

    if whole and (after("reset") or not after("hint")):
        yield "reset leaves something, or there is no hint"
    if whole and (not (said := after("check")) or praise in said):
        yield f"no answer: {said!r}"
    give(root, wrong)
    if not (said := after("check")) or praise in said:
        yield f"{wrong!r} is wrong, it says {said!r}"
    give(root, right)
    if praise not in (said := after("check")):
        yield f"{right!r} is right, it says {said!r}"
    if said := after("reset"):
        yield f"after reset it still says {said!r}"


def held_faults(
    root: Locator,
    right: str,
    wrong: str,
    praise: str,
    elsewhere: str,
    whole: bool = True,
    answered: bool = True,
) -> Iterator[str]:
    """What happened comes onto the page with an answer, leaves with a reset, and can be waived.

    Hints and feedback besides, as of any exercise, if ``whole``; if not ``answered``, it is waived
    only. ``elsewhere`` is the name of a question whose answer is computed, and opens, in a later
    cell; else "".
    """
    opens = root.locator(".dpviz-solution")
    if elsewhere:
        opens = root.page.locator(f'.dpviz-happened[data-of="{elsewhere}"]')

    def after(name: str) -> str:
        click(root.locator(f".dpviz-{name}"))
        read(root)
        shown = opens.text_content().strip()
        return "" if elsewhere and "opens here" in shown else shown

    def told() -> str:
        return root.locator(".dpviz-feedback").text_content().strip()

    name = root.locator(".widget-html").first.inner_text()[:60]
    drawn = root.locator(".dpviz-answer [data-held]").count()  # a curve is there: an answer
    buttons = ("hint", "reset") if drawn else ("hint", "check", "reset")
    for button in buttons if whole else ():
        if said := after(button):
            yield f"{name}: {button} shows {said!r}"
        if bool(said := told()) == (button == "reset") or praise in said:
            yield f"{name}: {button} says {said!r}"
    for answer, fits in ((wrong, False), (right, True)) if answered else ():
        give(root, answer)
        if "You predicted" not in (said := after("check")):
            yield f"{name}: {answer!r} shows {said!r}"
        if (praise in told()) != fits:
            yield f"{name}: to {answer!r} it says {told()!r}"
        if said := after("reset"):
            yield f"{name}: reset leaves {said!r}"
    if "What happened" not in (said := after("waive")) or "You predicted" in said:
        yield f"{name}: waived, it shows {said!r}"
