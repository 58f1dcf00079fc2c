"""Published against ours as plain SVG: a point for each model or noise, on the line where both agree."""

import html

SIZE, EDGE = 300, 44
COLOURS = {"base": "#6b6b6b", "soft": "#b07aa1", "global": "#0b6e99", "local": "#c4622d"}
SHAPES = {"base": "circle", "soft": "square", "global": "triangle", "local": "diamond"}


def mark(shape, x, y, colour, title):
    """One point, with what it is as its title."""
    r = 4.5
    body = {
        "circle": f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{r}'",
        "square": f"<rect x='{x - r:.1f}' y='{y - r:.1f}' width='{2 * r}' height='{2 * r}'",
        "triangle": f"<path d='M{x:.1f} {y - r:.1f}l{r} {2 * r}h{-2 * r}z'",
        "diamond": f"<path d='M{x:.1f} {y - 1.3 * r:.1f}l{r} {1.3 * r}l{-r} {1.3 * r}l{-r} {-1.3 * r}z'",
    }[shape]
    return f"{body} fill='{colour}' fill-opacity='.75'><title>{html.escape(title)}</title></{body[1:].split(' ', 1)[0]}>"


def scatter(rows, title):
    """Published on one axis, ours on the other."""
    most = 10 * (1 + int(max(max(row.published, row.ours) for row in rows) // 10))
    place = lambda value: EDGE + value / most * (SIZE - EDGE - 10)  # noqa: E731
    parts = [f"<svg viewBox='0 0 {SIZE + 110} {SIZE + 8}' width='{SIZE + 110}' role='img' font-family='system-ui,sans-serif' font-size='11'>"]
    parts.append(f"<title>{html.escape(title)}</title>")
    turned = lambda value: SIZE - place(value) + EDGE - 30  # noqa: E731
    for tick in range(0, most + 1, max(10, most // 50 * 10)):
        parts.append(f"<text x='{place(tick):.1f}' y='{SIZE - 14}' text-anchor='middle'>{tick}</text>")
        parts.append(f"<text x='{EDGE - 6}' y='{turned(tick) + 4:.1f}' text-anchor='end'>{tick}</text>")
        parts.append(f"<path d='M{EDGE} {turned(tick):.1f}H{place(most):.1f}' stroke='#e5e5e5'/>")
    parts.append(f"<path d='M{place(0):.1f} {turned(0):.1f}L{place(most):.1f} {turned(most):.1f}' stroke='#999' stroke-dasharray='4 3'/>")
    for row in rows:
        said = f"{row.where}, {row.metric}, {row.method}: published {row.published:.1f}, ours {row.ours:.1f}"
        parts.append(mark(SHAPES[row.method], place(row.published), turned(row.ours), COLOURS[row.method], said))
    parts.append(f"<text x='{(EDGE + place(most)) / 2:.0f}' y='{SIZE + 2}' text-anchor='middle'>published, normalised error in %</text>")
    middle = SIZE / 2
    parts.append(f"<text x='12' y='{middle}' transform='rotate(-90 12 {middle})' text-anchor='middle'>ours</text>")
    for at, method in enumerate(COLOURS):
        parts.append(mark(SHAPES[method], SIZE + 16, 24 + 18 * at, COLOURS[method], method))
        parts.append(f"<text x='{SIZE + 28}' y='{28 + 18 * at}'>{method}</text>")
    return "".join([*parts, "</svg>"])


def all_of(rows):
    """A plot for each table of errors."""
    made = []
    for table in ("COMPAS, two groups", "COMPAS, three groups", "CelebA"):
        some = [row for row in rows if row.table == table and row.quantity == "normalized_error_pct" and row.ours is not None]
        if some:
            title = f"{table}: normalised errors, published and ours; on the dashed line they are equal"
            made.append((title, scatter([row for row in some if row.ours < 200], title)))
    return made
