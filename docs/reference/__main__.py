"""Write the generated pages anew: `make docs`."""

from docs.reference import DOCS, PAGES

for name, made in PAGES.items():
    (DOCS / name).write_text(made(), encoding="utf-8")
