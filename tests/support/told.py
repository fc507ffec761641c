"""What a study tells people before they agree; without it none is locked."""

TOLD: dict[str, object] = {
    "organisation": "Institute of Baselines",
    "responsible": "Ada Example",
    "reached_at": "study@example.org",
    "pay": "20 euros.",
}
