"""Static files under names that change with their content, module imports included."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class ModuleManifestStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # untyped
    """WhiteNoise's storage, also rewriting `import` statements between our ES modules."""

    support_js_module_import_aggregation = True
