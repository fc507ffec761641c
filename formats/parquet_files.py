"""Reading Parquet within limits: a file of a few kilobytes may unpack to gigabytes."""

from collections.abc import Collection

import pyarrow
import pyarrow.parquet

from formats.files import MEBIBYTE, FileRefused, in_mebibytes

MAX_CELLS = 16_000_000
MAX_UNPACKED_BYTES = 256 * MEBIBYTE
_MAX_BATCH_ROWS = 10_000


def read_table(
    content: bytes, *, file: str, columns: Collection[str] | None = None, required: Collection[str] = ()
) -> pyarrow.Table:
    """The wanted columns that the file has (None: all). Others are not even read.

    Raises FileRefused for what is no Parquet, lacks a required column, or has in these columns more than
    MAX_CELLS cells or MAX_UNPACKED_BYTES: as the file says before it is read, or as comes out meanwhile.
    """
    try:
        parquet = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(content))
        names = parquet.schema_arrow.names
        for name in required:
            if name not in names:
                raise FileRefused("is no column of the file; is it the right file?", field=name, file=file)
        wanted = names if columns is None else [name for name in names if name in columns]
        if (cells := parquet.metadata.num_rows * len(wanted)) > MAX_CELLS:
            raise FileRefused(f"has {cells:,} cells, above the limit of {MAX_CELLS:,}; split it", file=file)
        groups = [parquet.metadata.row_group(number) for number in range(parquet.metadata.num_row_groups)]
        chunks = [group.column(place) for group in groups for place in range(group.num_columns)]
        sizes = [
            max(1, chunk.total_uncompressed_size)
            for chunk in chunks
            if columns is None or chunk.path_in_schema.split(".")[0] in wanted
        ]
        _require_bytes(sum(sizes), file)
        # No cell is larger than its column, which is said once however many rows refer to it.
        rows = max(1, min(_MAX_BATCH_ROWS, MAX_UNPACKED_BYTES // max(sizes, default=1)))
        return _table(parquet, None if columns is None else wanted, rows, file)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:  # OSError: damaged pages
        reason = str(error).splitlines()[0]
        raise FileRefused(f"cannot be read as Parquet ({reason}); get the file again", file=file) from None


def _table(
    parquet: pyarrow.parquet.ParquetFile, wanted: list[str] | None, rows: int, file: str
) -> pyarrow.Table:
    batches, size = [], 0
    for packed in parquet.iter_batches(batch_size=rows, columns=wanted, use_threads=False):
        # Every value in its row: what a dictionary says once becomes as many Python objects as rows.
        plain = [
            column.dictionary_decode() if pyarrow.types.is_dictionary(column.type) else column
            for column in packed.columns
        ]
        batch = pyarrow.RecordBatch.from_arrays(plain, packed.schema.names)
        size += batch.nbytes
        _require_bytes(size, file)
        batches.append(batch)
    return pyarrow.Table.from_batches(batches) if batches else parquet.read(columns=wanted)


def _require_bytes(size: int, file: str) -> None:
    if size > MAX_UNPACKED_BYTES:
        message = f"unpacks to more than the limit of {in_mebibytes(MAX_UNPACKED_BYTES)}; split it"
        raise FileRefused(message, file=file)
