"""The index: everything that recall can find, derived from Markdown and built again at will."""

from hippod.index.engine import Documents as Documents
from hippod.index.engine import Index as Index
from hippod.index.examination import Examined as Examined
from hippod.index.examination import examine_file as examine_file
from hippod.index.report import Report as Report
from hippod.index.store import Known as Known
from hippod.index.view import Brief as Brief
from hippod.index.view import LexicalHit as LexicalHit
from hippod.index.view import Named as Named
from hippod.index.view import Row as Row
from hippod.index.view import View as View
