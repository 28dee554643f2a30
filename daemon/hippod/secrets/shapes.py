"""Keys and tokens that are known by their shape alone: prefix, alphabet, length.

Shapes without blanks are looked for only in runs of characters without blanks, so prose costs
next to nothing. What other vendors issue is found by name (`settings`) or as random (`tokens`).
"""

import re
from collections.abc import Iterator

from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
from detect_secrets.plugins.base import RegexBasedDetector
from detect_secrets.plugins.cloudant import CloudantDetector
from detect_secrets.plugins.discord import DiscordBotTokenDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.ibm_cloud_iam import IbmCloudIamDetector
from detect_secrets.plugins.ibm_cos_hmac import IbmCosHmacDetector
from detect_secrets.plugins.mailchimp import MailchimpDetector
from detect_secrets.plugins.openai import OpenAIDetector
from detect_secrets.plugins.pypi_token import PypiTokenDetector
from detect_secrets.plugins.sendgrid import SendGridDetector
from detect_secrets.plugins.slack import SlackDetector
from detect_secrets.plugins.softlayer import SoftlayerDetector
from detect_secrets.plugins.square_oauth import SquareOAuthDetector
from detect_secrets.plugins.stripe import StripeDetector
from detect_secrets.plugins.telegram_token import TelegramBotTokenDetector
from detect_secrets.plugins.twilio import TwilioKeyDetector

from hippod.secrets.span import Span

# The keyword, entropy, basic-auth, private-key and JWT plugins are replaced by ours: they find
# only quoted values, only the first line of a key block, or only a part of the token.
# Artifactory's and the public-IP plugin fire on ordinary words and addresses.
_PLUGINS: tuple[type[RegexBasedDetector], ...] = (
    AWSKeyDetector, AzureStorageKeyDetector, CloudantDetector, DiscordBotTokenDetector,
    GitHubTokenDetector, GitLabTokenDetector, IbmCloudIamDetector, IbmCosHmacDetector,
    MailchimpDetector, OpenAIDetector, PypiTokenDetector, SendGridDetector, SlackDetector,
    SoftlayerDetector, SquareOAuthDetector, StripeDetector, TelegramBotTokenDetector,
    TwilioKeyDetector,
)  # fmt: skip
_DETECTORS = tuple(
    (str(plugin.secret_type), tuple(plugin.denylist)) for plugin in (cls() for cls in _PLUGINS)
)

_PIECE = 1024
"""Characters that a detect-secrets pattern sees at once: some of them are quadratic."""
_LONG_TOKEN = re.compile(r"[A-Za-z0-9+/_.-]{12,}")
"""Without one of these in sight, no plugin finds anything."""

_U = r"[A-Za-z0-9_-]"
_A = r"[A-Za-z0-9]"
_B58 = r"[1-9A-HJ-NP-Za-km-z]"
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

_SHAPES = {
    # models
    "Anthropic Key": rf"sk-ant-{_U}{{12,}}",
    "API Key": rf"sk-(?:[a-z]{{2,10}}[-_])?(?=[A-Za-z_-]{{0,40}}\d){_U}{{16,}}",
    "Model Key": rf"(?:(?:xai|gsk|pplx|tvly|nvapi|csk|jina|pcsk|tgp_v1)[-_](?=[A-Za-z_-]{{0,40}}\d)"
    rf"{_U}{{20,}}|(?:fw|r8)_{_A}{{20,}}|fc-[a-f0-9]{{32}}|BSA{_U}{{26,}}|pa-{_U}{{40,}})",
    "Hugging Face Token": rf"(?:hf|api_org)_{_A}{{20,}}",
    "LangSmith Key": r"lsv2_[a-z]{2}_[a-f0-9]{32}_[a-f0-9]{10}",
    "ElevenLabs Key": r"sk_[a-f0-9]{40,}",
    # code and packages
    "GitHub Token": rf"(?:gh[opusr]_{_A}{{20,}}|github_pat_[A-Za-z0-9_]{{20,}})",
    "GitLab Token": rf"gl(?:pat|dt|ft|imt|agent|oas|rt|rtr|ptt|soat|ffct|cbt|wt)-{_U}{{16,}}"
    rf"(?:\.{_U}{{2,}}){{0,3}}",
    "Bitbucket or Atlassian Token": r"(?:ATATT3|ATCTT3|ATSTT3|ATBB|BBDC-)[A-Za-z0-9_=+/-]{20,}",
    "npm Token": rf"npm_{_A}{{20,}}",
    "PyPI Token": rf"pypi-{_U}{{16,}}",
    "RubyGems Key": r"rubygems_[a-f0-9]{40,}",
    "crates.io Token": rf"cio{_A}{{32}}(?!{_A})",
    "NuGet Key": r"oy2[a-z0-9]{43}",
    "Clojars Token": r"CLOJARS_[a-z0-9]{50,}",
    "Docker Token": rf"dckr_(?:pat|oat)_{_U}{{20,}}",
    "Artifactory Token": rf"(?:AKCp{_A}{{40,}}|cmVmd{_A}{{50,}})",
    "CI Token": rf"(?:CCIP(?:AT|RJ)_[A-Za-z0-9_]{{20,}}|bk(?:ua|pt|aa|ct)_{_A}{{30,}})",
    "Sonar Token": r"sq[apu]_[a-f0-9]{40}",
    "Sourcegraph Token": r"sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}",
    # clouds and hosting
    "AWS Access Key": r"(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])",
    "Google Key": rf"AIza{_U}{{30,}}",
    "Google OAuth": rf"(?:ya29\.{_U}{{20,}}|GOCSPX-{_U}{{20,}}|1//0{_U}{{30,}})",
    "Azure Secret": r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}",
    "Alibaba or Tencent Key": rf"(?:LTAI{_A}{{16,}}|AKID{_A}{{28,}})",
    "Yandex Key": rf"(?:AQVN{_U}{{30,}}|y[0-3]_{_U}{{50,}}|t1\.[A-Za-z0-9_=-]{{10,}}\.{_U}{{40,}})",
    "DigitalOcean Token": r"do[opr]_v1_[a-f0-9]{40,}",
    "Cloudflare Key": rf"(?:v1\.0-[a-f0-9]{{24}}-[a-f0-9]{{100,}}|cf(?:ut|at|k|ua)_{_U}{{30,}})",
    "Heroku Key": rf"HRKU-{_U}{{30,}}",
    "Vercel Token": rf"(?:vc[acikpr]_{_A}{{24,}}|vercel_blob_rw_[A-Za-z0-9_]{{20,}})",
    "Netlify Token": rf"nf[a-z]_{_A}{{30,}}",
    "Supabase Key": rf"(?:sb[a-z]_[a-f0-9]{{40}}|sb_secret_{_U}{{20,}})",
    "Fly.io Token": rf"(?:fo1_{_U}{{30,}}|fm[12][ar]?_[A-Za-z0-9+/=]{{50,}})",
    "Render Key": rf"rnd_{_A}{{20,}}",
    "PlanetScale Secret": r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{20,}",
    "Databricks Token": r"(?:dapi|dose|dsapi|dkea)[a-f0-9]{32}(?:-\d)?",
    "Pulumi Token": r"pul-[a-f0-9]{40}",
    "Terraform Token": rf"{_A}{{14}}\.atlasv1\.[A-Za-z0-9_=-]{{40,}}",
    "OpenShift Token": rf"sha256~{_U}{{40,}}",
    "Tailscale Key": r"tskey-(?:[a-z]{2,12}-)?[A-Za-z0-9-]{12,}",
    # vaults
    "Vault Token": rf"hv[sbr]\.{_U}{{20,}}",
    "Doppler Token": r"dp\.(?:pt|st|ct|sa|scim|audit|said)\.[A-Za-z0-9_.-]{20,}",
    "1Password Key": rf"(?:ops_eyJ[A-Za-z0-9+/=_-]{{40,}}|A3(?:-[A-Z0-9]{{5,11}}){{4,6}}(?!{_A}))",
    "Age Key": r"AGE-(?:SECRET-KEY|PLUGIN-[A-Z0-9-]{1,40})-1[A-Z0-9]{20,}",
    # watching
    "Sentry Token": r"sntry[su]_[A-Za-z0-9+/=_-]{20,}",
    "Sentry DSN": r"https?://[a-f0-9]{32}(?::[a-f0-9]{32})?@[\w.:-]+/\d+",
    "Grafana Token": r"gl(?:sa|c)_[A-Za-z0-9+/=_]{20,}",
    "New Relic Key": rf"(?:NR[A-Z]{{2}}-{_U}{{10,}}|[a-f0-9]{{36}}NRAL)",
    "Datadog Key": rf"dd(?:app|p|api)_{_A}{{30,}}",
    "Dynatrace Token": r"dt0[a-z]\d\d\.[A-Z0-9]{20,}\.[A-Z0-9]{50,}",
    # work
    "Slack Token": r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}",
    "Slack App Token": r"xapp-[A-Za-z0-9-]{10,}",
    "Discord Token": rf"(?:[MNO]{_U}{{22,27}}\.{_U}{{6}}\.{_U}{{27,}}|mfa\.{_U}{{80,}})",
    "Telegram Token": rf"\d{{8,10}}:{_U}{{32,}}",
    "Linear Key": rf"lin_(?:api|oauth)_{_A}{{20,}}",
    "Notion Key": rf"(?:secret|ntn)_{_A}{{30,}}",
    "Airtable Token": rf"pat{_A}{{14}}\.[a-f0-9]{{40,}}",
    "Figma Token": rf"fig[a-z]_{_U}{{30,}}",
    "Postman Key": r"PMAK-[A-Za-z0-9-]{20,}",
    "Okta Token": rf"00(?=[\w-]{{0,40}}[a-z])(?=[\w-]{{0,40}}[A-Z]){_U}{{40}}(?!{_U})",
    "Dropbox Token": rf"sl\.(?:u\.)?{_U}{{60,}}",
    "Contentful Token": rf"CFPAT-{_U}{{30,}}",
    "HubSpot Token": rf"pat-[a-z]{{2,3}}\d-{_UUID}",
    "Typeform Token": r"tfp_[A-Za-z0-9_.=-]{40,}",
    "Prefect Key": rf"pn[bsu]_{_A}{{30,}}",
    "ReadMe Key": r"rdme_[a-z0-9]{60,}",
    "Harness Token": rf"[ps]at\.{_U}{{20,}}\.[a-f0-9]{{20,}}\.{_A}{{16,}}",
    "LaunchDarkly Key": rf"(?:sdk|api|mob)-{_UUID}",
    "Zapier Hook": r"https://hooks\.zapier\.com/hooks/[A-Za-z0-9_/-]{8,}",
    "Webhook": r"https://(?:hooks\.slack\.com/(?:services|workflows|triggers)|"
    r"(?:\w{1,10}\.)?discord(?:app)?\.com/api/webhooks|[\w.-]{1,60}\.webhook\.office\.com/webhookb2)"
    r"/[A-Za-z0-9_/@-]{8,}",
    "Signal Link": r"sgnl://linkdevice\?[^\s\"'<>]{8,}",
    # mail, shops, payments
    "SendGrid Key": rf"SG\.{_U}{{10,}}\.{_U}{{10,}}",
    "Mailgun Key": r"key-[a-f0-9]{32}",
    "Brevo Key": rf"xkeysib-[a-f0-9]{{40,}}-{_A}{{10,}}",
    "Resend Key": rf"re_(?=[A-Za-z_]{{0,40}}\d){_A}{{6,}}_{_A}{{16,}}",
    "Stripe Key": rf"(?:sk|rk|pk)_(?:live|test)_{_A}{{10,}}",
    "Webhook Secret": r"whsec_[A-Za-z0-9+/=]{16,}",
    "Square Token": rf"(?:sq0[a-z]{{3}}-{_U}{{20,}}|EAAA{_U}{{55,}})",
    "Plaid Token": rf"access-(?:sandbox|development|production)-{_UUID}",
    "PayPal Token": r"access_token\$\w{4,12}\$[a-z0-9]{12,}\$[a-f0-9]{20,}",
    "Shop Token": r"shp[a-z]{2}_[A-Fa-f0-9]{24,}",
    "Shipping Key": rf"(?:EZ[AT]K{_A}{{50,}}|shippo_(?:live|test)_[a-f0-9]{{30,}})",
    "Payment Key": rf"(?:FLW(?:SECK|PUBK)[_-](?:TEST-)?[A-Za-z0-9-]{{10,}}|"
    rf"rzp_(?:live|test)_{_A}{{14,}})",
    "Facebook Token": rf"EAA{_A}{{60,}}",
    "Mapbox Token": rf"[st]k\.eyJ{_U}{{20,}}\.{_U}{{16,}}",
    # tokens of standards
    "JSON Web Token": rf"eyJ{_U}{{8,}}(?:\.{_U}{{4,}}){{1,4}}",
    "Password Hash": r"\$(?:2[abxy]\$\d\d\$[./A-Za-z0-9]{53}|(?:apr1|1|5|6|7|y|argon2[a-z]{0,2}|"
    r"scrypt|pbkdf2[\w-]{0,10})\$[A-Za-z0-9./=,$+-]{20,})",
    "Bitcoin Key": rf"[5KL]{_B58}{{50,51}}(?!{_A})",
    "Wallet Key": rf"[tuvxyz]prv{_B58}{{90,}}",
    "Nostr Key": r"nsec1[ac-hj-np-z02-9]{50,}",
    "Stellar Key": r"S[A-Z2-7]{55}(?![A-Za-z0-9])",
}  # fmt: skip
_IN_A_RUN = tuple(
    (name, re.compile(rf"(?<![A-Za-z0-9_]){pattern}")) for name, pattern in _SHAPES.items()
)
_RUN = re.compile(r"[!-~]{16,}")

_WITH_BLANKS = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        (
            "Private Key",
            r"-{4,5} ?BEGIN [A-Za-z0-9 ]{0,40}(?:PRIVATE KEY|Static key)[A-Z0-9 ]{0,12} ?-{4,5}"
            r"(?:[^-]|-(?!-{3,4} ?END))*(?:-{4,5} ?END [A-Za-z0-9 ]{0,40} ?-{4,5}|-*\Z)",
        ),
        ("PuTTY Key", r"PuTTY-User-Key-File-\d+:(?s:.{0,8000})"),
        # the same in two or three pieces, as a wrapped line or a careful person leaves them
        ("AWS Access Key", r"\b(?:AKIA|ASIA)(?:\s?[A-Z0-9]){16}(?![A-Za-z0-9])"),
        (
            "GitHub Token",
            r"\bgh[opusr]_(?=[A-Za-z]{0,20}\d)(?:[A-Za-z0-9]{4,36}\s{1,2}){1,3}"
            r"(?=[A-Za-z]{0,20}\d)[A-Za-z0-9]{4,36}(?![A-Za-z0-9])",
        ),
        ("Fly.io Token", r"FlyV1 [A-Za-z0-9_+/=,-]{40,}"),
    )
)


def find(text: str) -> Iterator[Span]:
    """Yield what has a known shape."""
    for name, pattern in _WITH_BLANKS:
        yield from (Span(*match.span(), name) for match in pattern.finditer(text))
    for run in _RUN.finditer(text):
        for name, pattern in _IN_A_RUN:
            for match in pattern.finditer(text, run.start(), run.end()):
                yield Span(*match.span(), name)
    yield from _found_by_plugins(text)


def _found_by_plugins(text: str) -> Iterator[Span]:
    for start, piece in _pieces(text):
        if not _LONG_TOKEN.search(piece):
            continue
        for name, patterns in _DETECTORS:
            for pattern in patterns:
                for match in pattern.finditer(piece):
                    yield Span(start + match.start(), start + match.end(), name)


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Cut a text at line ends into overlapping pieces of bounded length."""
    position = 0
    for line in text.splitlines(keepends=True):
        for start in range(0, len(line), _PIECE // 2):
            yield position + start, line[start : start + _PIECE]
            if start + _PIECE >= len(line):
                break
        position += len(line)
