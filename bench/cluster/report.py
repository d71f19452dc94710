"""Tables and plots of what tools/bench_cluster measured. A plot tells its bars apart by position and text, not by colour."""
import html
import statistics

from binaries import ROOT
from cases import CASES

DOCUMENT = ROOT / "docs" / "performance.md"
PLOTS = ROOT / "docs" / "performance"
BEGIN, END = "<!-- report of `make bench-cluster`: begin -->", "<!-- report of `make bench-cluster`: end -->"
# What design aims at, at 5000 nodes: (case, of which case, at least)
BUDGETS = (("full", "nothing", 1.5), ("everything", "nothing", 1.5), ("narrow-16", "none", 0.8), ("everything-16", "none", 0.8), ("narrow-1", "none", 0.9),
           ("full", "plugin", 8.0))
MOST_CPU = 0.15  # of huygens, of kube-scheduler's


class Figures:
    """`results`: [{"nodes", "case", "round", "pods", "rate", "p50", "p99", "failed attempts", "cpu": {process: ms a pod}}]."""

    def __init__(self, results):
        self._of = {}
        for result in results:
            self._of.setdefault((result["nodes"], result["case"]), {})[result["round"]] = result

    def sizes(self):
        return sorted({nodes for nodes, _ in self._of})

    def cases(self, nodes):
        return [name for name in CASES if (nodes, name) in self._of]

    def rounds(self, nodes, case):
        return list(self._of[nodes, case].values())

    def median(self, nodes, case, *keys):
        values = []
        for value in self.rounds(nodes, case):
            for key in keys:
                value = value.get(key) if value is not None else None
            if value is not None:
                values.append(value)
        return statistics.median(values) if values else None

    def spread(self, nodes, case, key="rate"):
        values = [each[key] for each in self.rounds(nodes, case)]
        return min(values), max(values)

    def ratio(self, nodes, case, other):
        """(median, least, largest) of the ratios of rates within a round; None where one was not measured."""
        if (nodes, case) not in self._of or (nodes, other) not in self._of:
            return None
        ours, theirs = self._of[nodes, case], self._of[nodes, other]
        ratios = [ours[number]["rate"] / theirs[number]["rate"] for number in ours if number in theirs and theirs[number]["rate"]]
        return (statistics.median(ratios), min(ratios), max(ratios)) if ratios else None


def shown(value, digits=2):
    return "–" if value is None or value != value else f"{value:.{digits}f}"


def table(figures, nodes):
    lines = [f"**{nodes} nodes**", "",
             "| case | pods/s (rounds) | of no extender | attempt p50, p99 ms | CPU ms a pod: kube-scheduler | API server | etcd | extender | failed attempts | pods, rounds |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for case in figures.cases(nodes):
        least, most = figures.spread(nodes, case)
        ratio = figures.ratio(nodes, case, "none")
        rounds = figures.rounds(nodes, case)
        cpu = [shown(figures.median(nodes, case, "cpu", who)) for who in ("kube-scheduler", "kube-apiserver", "etcd", "extender")]
        lines.append(f"| {CASES[case].title} | {figures.median(nodes, case, 'rate'):.0f} ({least:.0f} to {most:.0f}) | {shown(ratio and ratio[0])} | "
                     f"{shown(figures.median(nodes, case, 'p50'), 1)}, {shown(figures.median(nodes, case, 'p99'), 1)} | {' | '.join(cpu)} | "
                     f"{sum(each['failed attempts'] for each in rounds)} | {rounds[0]['pods']}, {len(rounds)} |")
    return lines


def budgets(figures, nodes):
    lines = [f"| budget, at {nodes} nodes | aim | measured (rounds) | |", "|---|---|---|---|"]
    for case, other, aim in BUDGETS:
        if found := figures.ratio(nodes, case, other):
            lines.append(f"| {CASES[case].title}, against {CASES[other].title} | ≥ {aim} | {found[0]:.2f} ({found[1]:.2f} to {found[2]:.2f}) | {'kept' if found[0] >= aim else '**missed**'} |")
    for case in ("full", "narrow-1", "everything"):
        if case in figures.cases(nodes):
            share = figures.median(nodes, case, "cpu", "extender") / max(1e-9, figures.median(nodes, case, "cpu", "kube-scheduler"))
            lines.append(f"| CPU of {CASES[case].title}, of kube-scheduler's | ≤ {MOST_CPU} | {share:.2f} | {'kept' if share <= MOST_CPU else '**missed**'} |")
    return lines if len(lines) > 2 else []


def plot(figures, nodes):
    """An SVG: a bar a case with its median as text, and a line from the slowest round to the fastest."""
    left, width, height, gap = 230, 420, 22, 12
    names = figures.cases(nodes)
    top = max(figures.spread(nodes, case)[1] for case in names) or 1
    rows = []
    for row, case in enumerate(names):
        y = 44 + row * (height + gap)
        value = figures.median(nodes, case, "rate")
        least, most = (left + width * each / top for each in figures.spread(nodes, case))
        middle = y + height / 2
        rows += [f'<text x="{left - 8}" y="{middle + 4:.0f}" text-anchor="end">{html.escape(CASES[case].title)}</text>',
                 f'<rect x="{left}" y="{y}" width="{width * value / top:.1f}" height="{height}" fill="#d0d0d0" stroke="#202020"/>',
                 f'<path d="M{least:.1f} {middle:.0f}H{most:.1f}M{least:.1f} {middle - 5:.0f}v10M{most:.1f} {middle - 5:.0f}v10" stroke="#202020" fill="none"/>',
                 f'<text x="{most + 8:.1f}" y="{middle + 4:.0f}">{value:.0f}</text>']
    bottom = 44 + len(names) * (height + gap) + 24
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 70}" height="{bottom}" font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="white"/>', f'<text x="{left}" y="24" font-weight="bold">pods a second, {nodes} nodes</text>', *rows,
        f'<text x="{left}" y="{bottom - 8}" font-size="11">bar: median of the rounds; line: slowest to fastest round</text>', "</svg>", ""])


def text(figures, machine):
    lines = [machine, ""]
    for nodes in figures.sizes():
        lines += [*table(figures, nodes), "", *budgets(figures, nodes), ""]
    return "\n".join(lines).strip()


def write(figures, machine):
    """Into docs/performance.md between the marks, and the plots beside it."""
    PLOTS.mkdir(exist_ok=True)
    body = text(figures, machine)
    for nodes in figures.sizes():
        (PLOTS / f"cluster-{nodes}.svg").write_text(plot(figures, nodes))
        body += f"\n\n![pods a second with {nodes} nodes](performance/cluster-{nodes}.svg)"
    document = DOCUMENT.read_text()
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    assert begin and end, f"{DOCUMENT} has no marks for this report"
    DOCUMENT.write_text(f"{before}{BEGIN}\n{body}\n{END}{after}")
