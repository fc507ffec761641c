from collections import defaultdict

from django.db import migrations
from django.db.models import OuterRef, Q, Subquery

AT_ONCE = 1000
# What a block computed again that is a number of the results: the same row from now on.
MOVED = {
    'cohort': ('raw_mean', 'people', 'prompts', 'pairs', 'k_bar'),
    'benchmark': ('task.accuracy', 'benchmark.macro', 'benchmark.micro'),
}
TWICE = ('theta.pool', 'theta.ql')
COUNTS = {
    'participants': 'participants', 'pairs': 'pairs', 'prompts': 'prompts', 'batches': 'batches',
    'private.prompts': 'private_prompts', 'private.scored': 'private_scored',
    'answers.expected': 'expected', 'answers.missing': 'missing', 'answers.unscored': 'unscored',
    'answers.unknown_items': 'unknown_items',
}  # fmt: skip
VALUES = {'raw_mean': 'raw_mean', 'coverage': 'coverage', 'k_bar': 'responses_per_prompt'}
THETAS = {'theta.pool': '_pool', 'theta.ql': '_ql'}
METRICS = {
    'macro': 'benchmark.macro', 'micro': 'benchmark.micro',
    'adjusted_harmonic_mean': 'benchmark.harmonic.published',
}  # fmt: skip
OF_SCORES = ('raw_mean', 'theta.pool', 'theta.pool.twoway', 'theta.ql', 'theta.prompt.analytic')
ENDS = ('value', 'se', 'low', 'high')
FEWEST_PRIVATE = 3


def fill(apps, editor):
    rows = apps.get_model('scoring', 'MeasureRow')
    measurements = apps.get_model('scoring', 'Measurement').objects
    of_row = measurements.filter(pk=OuterRef('measurement_id')).values('result_set_id')[:1]
    rows.objects.update(results_id=Subquery(of_row), may_leave=True)
    for block, names in MOVED.items():
        rows.objects.filter(block=block, name__in=names).update(block='results')
    rows.objects.filter(block='cohort', name__in=TWICE).delete()
    for results in apps.get_model('scoring', 'ResultSet').objects.iterator():
        fill_results(rows, results)
    for results in apps.get_model('scoring', 'ResultSet').objects.iterator():
        close(apps, rows, results)
    for compared in apps.get_model('scoring', 'JudgeComparison').objects.iterator():
        try:
            made = list(of_comparison(rows, compared))
        except (LookupError, TypeError):  # of a version that never landed: it is computed again
            compared.delete()
        else:
            fill_comparison(apps, rows, compared, made)


def fill_results(rows, results):
    forget_other_moments(rows, results)
    there = set(
        rows.objects.filter(results=results, block='results').values_list('scope', 'name', 'group', 'subset')
    )
    made = [
        *(row for one in results.estimates.order_by('pk') for row in of_estimate(rows, one, there)),
        *(of_task(rows, one) for one in results.task_accuracies.order_by('pk')),
        *(of_metric(rows, one) for one in results.metrics.order_by('pk')),
    ]
    for row in made:
        row.results_id, row.block, row.may_leave = results.pk, 'results', True
    new = [row for row in made if (row.scope, row.name, row.group, row.subset) not in there]
    rows.objects.bulk_create(new, batch_size=AT_ONCE)


def forget_other_moments(rows, results):
    """A measurement may be of later answers than its results: then the estimates' own numbers stand."""
    own = rows.objects.filter(results=results, block='results', name__in=MOVED['cohort'], subset='')
    for one in results.estimates.filter(category=''):
        of_group = own.filter(scope=one.scope, group=one.group)
        numbers = dict(of_group.values_list('name', 'value'))
        of_tasks = not one.pairs and numbers.get('pairs')  # the items of the bank are tasks
        same = numbers.get('pairs') == one.pairs and near(numbers.get('raw_mean'), one.raw_mean)
        if not of_tasks and not same:
            of_group.delete()


    for one in results.task_accuracies.all():
        forget_unless(own_of(rows, one, 'task.accuracy', f'task:{one.task}'), one.accuracy)
    for one in results.metrics.all():
        forget_unless(own_of(rows, one, METRICS[one.name], ''), one.value)


def own_of(rows, one, name, subset):
    return rows.objects.filter(
        results=one.result_set_id, block='results', scope=one.scope, group=one.group, name=name, subset=subset
    )


def forget_unless(own, value):
    if any(not near(row, value) for row in own.values_list('value', flat=True)):
        own.delete()


def near(one, other):
    return one == other or (one is not None and other is not None and abs(one - other) < 1e-9)


def of_estimate(rows, one, there):
    subset = f'category:{one.category}' if one.category else ''
    sizes = {'n': one.pairs, 'prompts': one.prompts}

    def row(name, value, reason='', **columns):
        if value is None:
            reason = reason or 'nothing_scored'
        return rows(
            scope=one.scope, group=one.group, subset=subset, name=name, value=value, reason=reason,
            **sizes, **columns,
        )  # fmt: skip

    # Where the items of the bank are tasks, the pairs that the measurement counted stand.
    moved = rows.objects.filter(
        results=one.result_set_id, block='results', scope=one.scope, group=one.group, subset=subset, name='pairs'
    ).first()
    pairs = one.pairs if moved is None else int(moved.value)
    for name, column in COUNTS.items():
        value = getattr(one, column)
        if name == 'answers.unknown_items':
            value = one.expected - one.missing - one.unscored - pairs
        yield row(name, float(value))
    for name, column in VALUES.items():
        yield row(name, getattr(one, column))
    told = {'clusters': one.clusters, 'details': {'error': one.interval} if one.interval else {}}
    for name, part in THETAS.items():
        yield row(
            name, getattr(one, f'theta{part}'), getattr(one, f'reason{part}'), se=getattr(one, f'se{part}'),
            low=getattr(one, f'ci_low{part}'), high=getattr(one, f'ci_high{part}'), **told,
        )  # fmt: skip
    if one.se_twoway is not None:
        yield row(
            'theta.pool.twoway', one.theta_pool, se=one.se_twoway, low=one.ci_low_twoway,
            high=one.ci_high_twoway,
        )  # fmt: skip
    why = one.reason_pool if one.theta is None else ''
    yield row('theta.prompt.analytic', one.theta, why, se=one.se, low=one.ci_low, high=one.ci_high)


def of_task(rows, one):
    return rows(
        scope=one.scope, group=one.group, subset=f'task:{one.task}', name='task.accuracy', n=one.responses,
        value=one.accuracy, reason='no_pairs' if one.accuracy is None else '',
    )  # fmt: skip


def of_metric(rows, one):
    return rows(
        scope=one.scope, group=one.group, name=METRICS[one.name], value=one.value,
        reason='no_pairs' if one.value is None else '',
    )  # fmt: skip


def close(apps, rows, results):
    """Mark what must not leave the site: what would tell of the answers to one or two private prompts."""
    own = rows.objects.filter(results=results)
    study = results.run.study
    prompts = apps.get_model('studies', 'Prompt').objects.filter(version=study.bank_version_id)
    own.exclude(prompt_id='').exclude(prompt_id__in=prompts.filter(split='public').values('prompt_id')).update(
        may_leave=False
    )
    whole = own.filter(scope='all')
    if not asks_private(apps, study):
        return
    if not whole.filter(name='private.prompts').exists():
        whole.update(may_leave=False)
        return
    whole.filter(
        ~Q(participant='') | ~Q(prompt_id='') | Q(block='benchmark') | Q(name='task.accuracy')
        | Q(name__startswith='benchmark.')
    ).update(may_leave=False)  # fmt: skip
    counts = defaultdict(lambda: defaultdict(dict))
    numbers = whole.filter(block='results', name__startswith='private.')
    for group, name, subset, value in numbers.values_list('group', 'name', 'subset', 'value'):
        counts[group][name][subset] = int(value)
    for group, named in counts.items():
        asked, scored = named['private.prompts'], named['private.scored']
        if any(few(number) for number in (asked[''], scored[''], scored[''] - asked[''])):
            whole.update(may_leave=False)
        parts = {subset: number for subset, number in asked.items() if subset}
        for subset in hidden(parts, asked[''] - sum(parts.values())):
            of_category = whole.filter(block='results', group=group, subset=subset)
            of_category.filter(name__in=OF_SCORES).update(may_leave=False)


def asks_private(apps, study):
    places = apps.get_model('batches', 'BatchPrompt').objects.filter(batch__plan__study=study.pk)
    return places.exclude(prompt__split='public').exists()


def few(number):
    return 0 < number < FEWEST_PRIVATE


def hidden(private, rest):
    found = {name for name, number in private.items() if few(number)}
    untold = rest + sum(private[name] for name in found)
    for number, name in sorted((number, name) for name, number in private.items() if number >= FEWEST_PRIVATE):
        if not few(untold):
            break
        found.add(name)
        untold += number
    return found


def of_comparison(rows, compared):
    if compared.level == 'panel':
        for level, own in compared.values['levels'].items():
            yield from of_level(rows, level, own, 'panel')
        compared.runs = compared.values['runs']
    elif compared.level == 'ability':
        yield from of_ability(rows, compared.values)
    else:
        yield from of_level(rows, compared.level, compared.values, '')


def fill_comparison(apps, rows, compared, made):
    compared.save(update_fields=['runs'])
    split = asks_private(apps, compared.first.study)
    for row in made:
        row.comparison_id, row.block, row.scope = compared.pk, 'agreement', compared.scope
        row.may_leave = compared.scope == ('public' if split else 'all')
        row.name = f'agreement.{row.name}'
    rows.objects.bulk_create(made, batch_size=AT_ONCE)


def of_level(rows, level, values, panel):
    subset = f'level:{level};panel' if panel else f'level:{level}'
    n, clusters = values['units' if panel else 'n'], values['clusters']
    draws = {name: values[name] for name in ('seed', 'resamples')}
    yield rows(name='pairs', subset=subset, value=n, clusters=clusters, details=draws)
    counts = ('judges', 'scores', 'single', 'empty') if panel else ('rows', 'missing_x', 'missing_y', 'outside')
    for name in counts:
        if name in values:
            yield rows(name=name, subset=subset, value=values[name])
    for judge, number in enumerate(values['missing'] if panel else ()):
        yield rows(name='missing', subset=f'{subset};judge:{judge + 1}', value=number)
    for name, found in values['statistics'].items():
        count = {'count': found['count']} if 'count' in found else {}
        yield rows(name=name, subset=subset, n=n, clusters=clusters, details=count, **ends(found))
    for cell, number in values.get('confusion', {}).items():
        yield rows(name='confusion', subset=f'{subset};cell:{cell}', value=number)
    for mean, difference, number in values.get('cells', ()):
        at = {'mean': mean, 'difference': difference}
        yield rows(name='differences', subset=f'{subset};cell:{mean},{difference}', value=number, details=at)
    yield from of_warnings(rows, subset, values.get('warnings', ()))


def of_ability(rows, values):
    subset, people = 'level:ability', values['people']
    yield rows(name='people_with_theta', subset=subset, value=people)
    logistic = values['groups'][0]['x']['pooled']['reason'] == 'logistic_bank'
    few = 'logistic_bank' if logistic else 'too_few_pairs' if people < 3 else 'no_variation'
    yield rows(name='sd_of_people', subset=subset, n=people, **alone(values['sd_of_people']))
    yield rows(name='theta_order', subset=subset, n=people, **alone(values['spearman_of_people'], few))
    for found in values['groups']:
        group = found['group']
        for side in ('x', 'y'):
            of, own = f'{subset};judge:{side}', found[side]
            yield rows(name='people', group=group, subset=of, value=own['participants'])
            yield rows(
                name='theta.prompt', group=group, subset=of, **alone(own['theta'], own['pooled']['reason'])
            )
            for key, name in (('pooled', 'theta.pool'), ('quasi', 'theta.ql')):
                yield rows(name=name, group=group, subset=of, **ends(own[key]), **sizes(own[key]))
        for key, name in (('change', 'theta_change'), ('quasi_change', 'theta_change.ql')):
            yield rows(name=name, group=group, subset=subset, **ends(found[key]), **sizes(found[key]))
        for name, moved in moves(found['x'], found['y']):
            yield rows(name=name, group=group, subset=subset, **moved)
        yield rows(name='shared', group=group, subset=subset, value=found['shared'])
    yield from of_warnings(rows, subset, values['warnings'])


def moves(x, y):
    if x['pooled']['reason'] == 'logistic_bank':
        yield 'theta_moved.ql', in_errors(x['quasi'], y['quasi'], x['quasi']['se'])
        return
    of_x, of_y = ({'value': side['theta'], 'reason': side['pooled']['reason']} for side in (x, y))
    yield 'theta_moved.prompt', in_errors(of_x, of_y, x['pooled']['se'])
    yield 'theta_moved.pool', in_errors(x['pooled'], y['pooled'], x['pooled']['se'])


def in_errors(x, y, se):
    if x['value'] is None or y['value'] is None or not se:
        return alone(None, x['reason'] or y['reason'])
    return alone((y['value'] - x['value']) / se)


def of_warnings(rows, subset, warnings):
    for number, one in enumerate(warnings):
        details = {name: one[name] for name in ('code', 'subject', 'threshold', 'reason')}
        yield rows(
            name='warning', subset=f'{subset};warning:{number + 1}', details=details,
            **alone(one['value'], one['reason']),
        )  # fmt: skip


def ends(found):
    return {name: found[name] for name in (*ENDS, 'reason')}


def sizes(found):
    return {name: found[name] for name in ('n', 'clusters')}


def alone(value, reason=''):
    return {'value': value, 'reason': '' if value is not None else (reason or 'no_variation')}


def empty(apps, editor):
    """Going back keeps what was measured; estimates and agreement are computed again when they are next due."""
    rows = apps.get_model('scoring', 'MeasureRow')
    apps.get_model('scoring', 'JudgeComparison').objects.all().delete()
    rows.objects.filter(block='results').delete()
    measurements = apps.get_model('scoring', 'Measurement').objects
    of_results = measurements.filter(result_set=OuterRef('results_id')).values('pk')[:1]
    rows.objects.update(measurement_id=Subquery(of_results))
    apps.get_model('scoring', 'ResultSet').objects.update(inputs_sha256='')


class Migration(migrations.Migration):
    dependencies = [
        ('scoring', '0008_one_store'),
    ]

    operations = [migrations.RunPython(fill, empty)]
