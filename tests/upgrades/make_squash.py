"""Write the migration that makes all tables at once: `python -m tests.upgrades.make_squash`.

It stands for all landed migrations of the apps that know the user, other people's among them: they depend on
each other in circles, so nothing smaller can. Outside stays the newest of each app of ours but its own, as
`makemigrations` has to find one. What `test_squash.py` still finds different is added to the file by hand.
"""

from tests.upgrades.keeping import ROOT, own_site

HOME = "studies"
SAYS = """All tables of an empty database at once, in place of the landed migrations, which take far longer.

Those stay: a database on which some of them are applied goes along them and does not use this one. The name
comes after theirs: on the way back Django goes through both by name, and would take these models for
earlier ones.
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
    roots = [root for app in OUR_APPS for root in graph.root_nodes(app)]
    knowing = {node for root in roots for node in graph.backwards_plan(root)}
    replaced = sorted(knowing - outside)
    parents = {parent.key for node in replaced for parent in graph.node_map[node].parents}
    tables = []
    for (app, _), model in loader.project_state(replaced).models.items():
        if app in dict(replaced):
            options = {name: value for name, value in model.options.items() if value not in ([], set())}
            fields = list(model.fields.items())
            tables.append((app, CreateModel(model.name, fields, options, model.bases, model.managers)))
    parts = {
        "replaces": replaced,
        "dependencies": sorted(parents - knowing),
        "operations": [TablesAtOnce(tables)],
    }
    name = f"all_tables_squashed_{newest[HOME][:4]}"
    squash: Migration = type("Migration", (Migration,), parts)(name, HOME)
    text = MigrationWriter(squash, include_header=False).as_string()
    (ROOT / HOME / "migrations" / f"{name}.py").write_text(f'"""{SAYS}"""\n\n{text}')


if __name__ == "__main__":
    main()
