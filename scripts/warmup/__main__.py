"""The project's commands, behind the targets of the Makefile: ``python -m warmup --help``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from warmup.content import header, outputs, sources
from warmup.kinds import levels
from warmup.kinds.questions import Question
from warmup.project import DOCS, ROOT, SNIPPETS, Problem, ProblemError, relative
from warmup.vocabulary import NEEDS


def snippet_paths(names: list[str]) -> list[Path]:
    """The snippets that ``names`` mean; all of them for an empty list.

    Args:
        names: paths, ``level/topic/name`` of a snippet, or ``level/topic/slug`` of a question (all of its snippets).

    Raises:
        ProblemError: a name means no snippet.
    """
    if not names:
        return outputs.programs(SNIPPETS)
    found: list[Path] = []
    for name in names:
        bare = name.removeprefix("snippets/").removesuffix(".py").removesuffix(".out")
        question = ROOT / "docs" / f"{bare}.md"
        paths = [p for p in (Path(name), SNIPPETS / f"{bare}.py") if p.suffix == ".py" and sources.exists(p)][:1]
        if not paths and question.is_file() and (SNIPPETS / bare).is_dir():
            paths = outputs.programs(SNIPPETS, bare)
        elif not paths and question.is_file():
            paths = [SNIPPETS / s for s in Question.read(question).snippets]
        if not paths:
            fix = "Write it as level/topic/name, for example Q=junior/autograd/zero_grad."
            raise ProblemError(Problem(f"Q={name}", 0, "There is no such snippet or question.", fix))
        found += [p.resolve() for p in paths]
    return list(dict.fromkeys(found))


def check(_: argparse.Namespace) -> int:
    from warmup import memory
    from warmup.checks import project

    site, problems = project.problems()
    memory.save()
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(site.questions)} questions, {len(snippet_paths([]))} snippets, {len(problems)} problems")
    return bool(problems)


def claims(arguments: argparse.Namespace) -> int:
    from warmup.checks.promises import promises

    wanted = {name.removeprefix("docs/").removesuffix(".md") for name in arguments.names}
    found = [question for question in levels.load().questions if not wanted or question.id in wanted]
    for question in found:
        for line, words, sentence in promises(question):
            print(f"{relative(question.path)}:{line}: [{', '.join(words)}] {sentence}")
    if missing := wanted - {question.id for question in found}:
        fix = "Write it as level/topic/slug, for example Q=junior/autograd/zero-grad."
        raise ProblemError(Problem(f"Q={', '.join(sorted(missing))}", 0, "There is no such question.", fix))
    return 0


def page(arguments: argparse.Namespace) -> int:
    from warmup.dev import one_page

    return one_page.main(arguments.name)


def run(arguments: argparse.Namespace) -> int:
    from warmup.run.comparison import compare
    from warmup.run.runner import Runner

    failed = 0
    with Runner() as runner:
        for result in runner.run_many(snippet_paths(arguments.names)):
            difference = "" if result.status != "ok" else compare(result.path, result)
            word = "differs" if difference else result.status
            print(f"{word:8} {result.seconds:6.2f} s  {relative(result.path)}")
            if result.status not in ("ok", "skipped") or difference:
                failed += 1
                print(difference or f"{result.message}\n{result.stderr}", file=sys.stderr)
            elif result.status == "skipped":
                print(f"         {result.message}")
            elif arguments.names:
                print(result.stdout, end="")
    return bool(failed)


def write(arguments: argparse.Namespace) -> int:
    from warmup.run import exercise

    return exercise.write(arguments.exercise)


def record(arguments: argparse.Namespace) -> int:
    from warmup.run import record as recording

    paths = snippet_paths(arguments.names)
    if arguments.needs:
        paths = [p for p in paths if arguments.needs in header.parse(sources.text(p), p).needs]
    changes = recording.record(paths, force=arguments.force, variant=arguments.variant)
    return any(change.failed for change in changes)


def record_check(arguments: argparse.Namespace) -> int:
    from warmup.run import record as recording

    return bool(recording.check(snippet_paths(arguments.names), claims=arguments.claims, part=arguments.part))


def versions(_: argparse.Namespace) -> int:
    from warmup.run import versions as seen

    return seen.see()


def draw(arguments: argparse.Namespace) -> int:
    from warmup.content import diagrams
    from warmup.dev.draw import draw as one

    for source in [Path(name) for name in arguments.names] or diagrams.find(DOCS):
        print(f"{relative(diagrams.drawing_file(source))}: {'drawn' if one(source) else 'unchanged'}")
    return 0


def lab(arguments: argparse.Namespace) -> int:
    from warmup.kinds import labs
    from warmup.kinds.labs import problems
    from warmup.run import labs as execution

    failed = False
    for path in labs.find(arguments.names):
        try:
            changed = execution.record(path, force=arguments.force or any(problems(path)))
            print(f"{relative(path)}: {'recorded' if changed else 'unchanged'}")
        except ProblemError as error:
            print(error, file=sys.stderr)
            failed = True
            continue
        for problem in problems(path):
            print(problem, file=sys.stderr)
            failed = True
    return failed


def new(arguments: argparse.Namespace) -> int:
    from warmup.dev import scaffold

    written = scaffold.new(arguments.question)
    stem = arguments.question.rpartition("/")[2].replace("-", "_")
    print("Written:", *(f"  {relative(path)}" for path in written), sep="\n")
    print(
        f"Next: fill in the snippet, then `make record Q={arguments.question.rpartition('/')[0]}/{stem}`, "
        "then the page and its claims.\n`make test` fails until nothing says TODO."
    )
    return 0


def deck(_: argparse.Namespace) -> int:
    from warmup.dev import deck as building

    return building.build()


def chromium(_: argparse.Namespace) -> int:
    from warmup.dev import browser

    print(browser.told())
    return 0


def pdf(_: argparse.Namespace) -> int:
    from warmup.dev import browser
    from warmup.exports import pdf as paper

    for file, pages_in_it in paper.write_all(ROOT / "site", browser.ensure, browser.ARGUMENTS):
        print(f"{relative(file)}: {pages_in_it} pages, {file.stat().st_size / 1e6:.1f} MB")
    return 0


def port_number(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 65535:
        raise argparse.ArgumentTypeError("a port is a number from 1 to 65535")
    return number


def live(arguments: argparse.Namespace) -> int:
    from warmup.live import environment

    port = [] if arguments.port is None else ["--port", str(arguments.port)]
    environment.ensure(["live", arguments.site, *port])
    from warmup.live.server import serve

    return serve(Path(arguments.site), arguments.port)


def wasm(arguments: argparse.Namespace) -> int:
    from warmup.wasm import command

    return command.main(arguments.step, snippet_paths(arguments.names))


def mutants(arguments: argparse.Namespace) -> int:
    from warmup.kinds import trainers
    from warmup.run.mutants import report

    paths = [path for path in snippet_paths(arguments.names) if not path.is_relative_to(SNIPPETS / trainers.FOLDER)]
    return report.main(paths, arguments.sample, arguments.seed)


def bench(arguments: argparse.Namespace) -> int:
    from warmup.dev import bench as benchmark

    return benchmark.main(arguments.part)


def constraints(_: argparse.Namespace) -> int:
    from warmup.dev import constraints as pins

    print(f"{pins.write()} packages are pinned in {relative(pins.FILE)}.")
    return 0


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m warmup", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="command")

    def command(function, help_text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(function.__name__.replace("_", "-"), help=help_text)
        sub.set_defaults(function=function)
        return sub

    command(check, "check pages, snippets' headers and imports, labs, and retired names; runs nothing")
    command(claims, "list the sentences that promise most, for the second reader").add_argument("names", nargs="*")
    command(page, "all that holds for one page: checks, outputs, claims, and the page itself").add_argument("name")
    command(run, "run snippets and compare what they print").add_argument("names", nargs="*")
    command(write, "write an exercise, judged whenever you save it").add_argument("exercise", nargs="?", default="")
    sub = command(record, "run snippets and record what they print")
    sub.add_argument("names", nargs="*")
    sub.add_argument("--needs", choices=list(NEEDS), help="only snippets with this need")
    sub.add_argument("--force", action="store_true", help="also where a measured output differs in digits only")
    sub.add_argument(
        "--variant",
        default="",
        metavar="RANGE",
        help="record what the torch at hand prints instead of the pinned one: from-2.14, before-2.12",
    )
    sub = command(record_check, "compare outputs on emulated CPUs and vendors, with more threads and another hash seed")
    sub.add_argument("names", nargs="*")
    sub.add_argument("--claims", action="store_true", help="run all claims on each emulated CPU as well")
    sub.add_argument("--part", default="", metavar="1/4", help="a share of the snippets and claims")
    command(versions, "run all outputs and claims with the torch at hand, and note it if they hold")
    command(draw, "draw diagrams from their Graphviz sources").add_argument("names", nargs="*")
    sub = command(lab, "execute labs and record what they print and draw")
    sub.add_argument("names", nargs="*")
    sub.add_argument("--force", action="store_true", help="also where only digits differ that a run may change")
    command(new, "start a question").add_argument("question", nargs="?", default="")
    command(deck, "build the Anki deck")
    command(chromium, "find or install a Chromium for the browser tests")
    command(pdf, "print each level of the built site into a PDF")
    sub = command(live, "serve a site that was built with LIVE=1, and run its programs")
    sub.add_argument("site")
    sub.add_argument("--port", type=port_number, help="instead of the one that was drawn for this clone")
    sub = command(wasm, "get what browsers need to run programs, and run all programs with it in Node")
    sub.add_argument("step", choices=["fetch", "attest", "check", "run"])
    sub.add_argument("names", nargs="*")
    sub = command(mutants, "break snippets on purpose and list what no test noticed")
    sub.add_argument("names", nargs="*")
    sub.add_argument("--sample", type=int, default=0, help="only so many mutants, always the same ones")
    sub.add_argument("--seed", type=int, default=0, help="another sample")
    command(bench, "measure pages, build, visits and the runner, or one of them").add_argument("part", nargs="?")
    command(constraints, "pin what this environment has installed in constraints.txt")
    arguments = parser.parse_args(argv)
    try:
        return int(arguments.function(arguments))
    except (ProblemError, RuntimeError, header.HeaderError) as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
