"""Write the migration that makes all tables at once: `python -m tests.upgrades.make_squash`.

It stands for every landed migration of the apps that know the user, those of others among them, but the newest one
of each app of ours: where the next one is made, Django looks for that. What the test of squashed migrations still
finds different is added to the file by hand.
"""

from tests.upgrades.keeping import ROOT, own_site

HOME = "studies"
SAYS = """All tables of an empty database at once, in place of the landed migrations, which would take fifteen times as long.

They stay: a database on which some of them are applied goes along them, and this is not used. Its name sorts behind
theirs, as it must: going back, Django reads migrations by name until it knows enough, and not both of them.
"""


def main() -> None:
    with own_site():
        squash_write()


def squash_write() -> None:
    from django.db import connection
    from django.db.migrations.migration import Migration
    from django.db.migrations.operations import CreateModel
    from django.db.migrations.writer import MigrationWriter

    from studies.services.tables_at_once import TablesAtOnce
    from tests.upgrades.states import OUR_APPS, landed

    loader = landed(connection)
    graph = loader.graph
    newest = dict(graph.leaf_nodes())
    outside = {(app, newest[app]) for app in OUR_APPS if app != HOME}
    knowing = {node for app in OUR_APPS for root in graph.root_nodes(app) for node in graph.backwards_plan(root)}
    replaced = sorted(knowing - outside)
    parents = {parent.key for node in replaced for parent in graph.node_map[node].parents}
    state = loader.project_state(replaced)
    squash = Migration(f"all_tables_squashed_{newest[HOME][:4]}", HOME)
    squash.replaces, squash.dependencies = replaced, sorted(parents - knowing)
    tables = []
    for (app, _), model in state.models.items():
        if app in dict(replaced):
            options = {name: value for name, value in model.options.items() if value not in ([], set())}
            fields = list(model.fields.items())
            tables.append((app, CreateModel(model.name, fields, options, model.bases, model.managers)))
    squash.operations = [TablesAtOnce(tables)]
    path = ROOT / HOME / "migrations" / f"{squash.name}.py"
    text = MigrationWriter(squash, include_header=False).as_string()
    path.write_text(f'"""{SAYS}"""\n\n{text}')


if __name__ == "__main__":
    main()
