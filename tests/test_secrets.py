"""What people and programs write around secrets, in seven languages, and what only looks so."""

# ruff: noqa: E501 - what is pasted in one line stands in one line

import time

import pytest

from hippod.redact import REDACTED, redact
from hippod.secrets import spoken, values
from hippod.secrets.span import Span

BODY = "q7Rk2ZpV9xLm4TnB8sWd3HfJ6yGc1Ea5"
HEX = "3f9c1ab07e52d84660fa9b13c7e8d25417b0a6f93c8de2514a7f60b9d3e81c25"
"""Nobody's keys."""

SAID = [
    ("the wifi password is correct horse battery staple", "correct horse battery staple"),
    (
        "The wifi password is correct horse battery staple, write it down.",
        "correct horse battery staple",
    ),
    ("das WLAN-Passwort ist richtig pferd batterie klammer", "richtig pferd batterie klammer"),
    ("das WLAN-Passwort ist correct horse battery staple.", "correct horse battery staple"),
    ("la contraseña del wifi es correcto caballo batería grapa", "caballo"),
    ("le mot de passe du wifi est cheval correct agrafe pile", "cheval correct agrafe pile"),
    ("a senha do wifi é cavalo correto bateria grampo", "cavalo correto bateria grampo"),
    ("wifi密码是 correct horse battery staple", "correct horse battery staple"),
    ("WiFi的密码是正确马电池订书钉", "正确马电池订书钉"),
    ("WiFiのパスワードは correct horse battery staple です", "correct horse battery staple"),
    ("パスワードはただしいうまでんちです", "ただしいうまでんち"),
    ("password: correct horse battery staple", "correct horse battery staple"),
    ("wifi pw = purple monkey dishwasher", "purple monkey dishwasher"),
    ("the guest wifi password is purple monkey", "purple monkey"),
    ("My laptop password is fluffy-otter-parade-sunday", "fluffy-otter"),
    ("the password is swordfish and the router is in the hall", "swordfish"),
    ("the password is swordfish for the NAS", "swordfish"),
    ("login admin / hunter22x", "hunter22x"),
    ("user: bob pw bla", "bla"),
    ("user: bob, pw: bla", "bla"),
    ("username root password toor", "toor"),
    ("creds: admin:admin123", "admin123"),
    ("credentials: ada/swordfish", "swordfish"),
    ("Zugangsdaten: petra / Sommer2024", "Sommer2024"),
    ("Benutzer admin Passwort geheimnis", "geheimnis"),
    ("usuario: ana, contraseña: gatito9", "gatito9"),
    ("identifiant paul mot de passe soleil", "soleil"),
    ("usuário joão senha abacate7", "abacate7"),
    ("用户名 admin 密码 hunter22x", "hunter22x"),
    ("ユーザー名: admin パスワード: sakura99x", "sakura99x"),
    ("login with ada:s3cret!pass", "s3cret!pass"),
    ("the password hunter22x works", "hunter22x"),
    ("I changed the password to Blume42!", "Blume42!"),
    ("Passwort auf Sommer2025 geändert", "Sommer2025"),
    ("we changed the password from hunter22x to hunter33y", "hunter33y"),
    ("we changed the password from hunter22x to hunter33y", "hunter22x"),
    ("IBAN DE89 3704 0044 0532 0130 00 for the rent", "3704"),
    ("my iban is GB82WEST12345698765432.", "WEST1234"),
    ("FR14 2004 1010 0505 0001 3M02 606", "0505"),
    ("de89370400440532013000", "370400"),
    ("card 4111 1111 1111 1111", "1111 1111"),
    ("card 4111111111111111 exp 04/27", "4111111111111111"),
    ("amex 3782 822463 10005", "822463"),
    ("visa 4012-8888-8888-1881", "8888"),
    (
        "abandon ability able about above absent absorb abstract absurd abuse access accident",
        "abandon",
    ),
    (
        "seed: 1. legal 2. winner 3. thank 4. year 5. wave 6. sausage 7. worth 8. useful 9. legal 10. winner 11. thank 12. yellow",
        "sausage",
    ),
    (
        "my 12 words:\nlegal winner thank year wave sausage\nworth useful legal winner thank yellow",
        "worth",
    ),
    (
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBF...\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----",
        "lQOYBF",
    ),
    ("-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIA\n-----END EC PRIVATE KEY-----", "MHcCAQ"),
    (
        "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nP2/56wAA\n---- END SSH2 ENCRYPTED PRIVATE KEY ----",
        "P2/56",
    ),
    (
        "-----BEGIN OpenVPN Static key V1-----\n6acef03f62675b4b1bbd03e53b187727\n-----END OpenVPN Static key V1-----",
        "6acef03f",
    ),
    (
        '{"type":"service_account","private_key_id":"'
        + HEX[:40]
        + '","private_key":"-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADAN\\n-----END PRIVATE KEY-----\\n","client_email":"x@y.iam"}',
        "MIIEvQ",
    ),
    ('{"type":"service_account","private_key_id":"' + HEX[:40] + '"}', HEX[:40]),
    ("DB_PASS=letmein\nDB_HOST=db.local", "letmein"),
    ("SECRET_KEY_BASE=" + HEX, HEX[:20]),
    ("JWT_SECRET=supersecret", "supersecret"),
    ("export STRIPE_KEY='abcdefgh12345678'", "abcdefgh12345678"),
    ("MYSQL_ROOT_PASSWORD: hunting-root", "hunting-root"),
    (
        "Server=tcp:x.database.windows.net;User ID=ada;Password=My pass word;Encrypt=True",
        "My pass word",
    ),
    (
        "DefaultEndpointsProtocol=https;AccountName=x;AccountKey="
        + BODY
        + ""
        + BODY
        + "==;EndpointSuffix=core",
        BODY[:12],
    ),
    (
        "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey="
        + BODY
        + "=",
        BODY[:12],
    ),
    ("jdbc:postgresql://db/x?user=ada&password=swordfish", "swordfish"),
    ("mongodb+srv://ada:swordfish@cluster0.x.mongodb.net/db", "swordfish"),
    ("redis://:swordfish@cache:6379/0", "swordfish"),
    ("postgres://app:p@ss/word@db.local/x", "ss/word"),
    ("amqp://guest:gu3st@mq:5672", "gu3st"),
    ("git clone https://" + BODY + "@github.com/a/b.git", BODY[:10]),
    ("https://ada:swordfish@git.example/x.git", "swordfish"),
    ("curl -u ada:swordfish https://x.example", "swordfish"),
    ("curl -X POST https://x.example/api --user 'ada:sword fish' -d 1", "sword fish"),
    ("curl -H 'X-Api-Key: abcdef123456' https://x", "abcdef123456"),
    ('curl -H "Authorization: Basic YWRhOnN3b3Jk" x', "YWRhOnN3b3Jk"),
    ("Authorization: Basic YWRhOng=", "YWRhOng"),
    ("mysql -uroot -pswordfish db", "swordfish"),
    ("sshpass -p swordfish ssh root@box", "swordfish"),
    ("docker login -u ada -p swordfish reg.local", "swordfish"),
    ("tool --password swordfish --verbose", "swordfish"),
    ("tool --api-key=abc123def", "abc123def"),
    ("echo swordfish | sudo -S apt update", "swordfish"),
    ("machine github.com login ada password swordfish", "swordfish"),
    ("db.local:5432:*:ada:swordfish", "swordfish"),
    ("CREATE USER ada IDENTIFIED BY 'swordfish';", "swordfish"),
    ("ALTER ROLE ada WITH PASSWORD 'swordfish'", "swordfish"),
    ("<password>swordfish</password>", "swordfish"),
    (
        "users:\n- name: ada\n  user:\n    client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFcEFJQkFBS0NBUUVB",
        "LS0tLS1CRUdJTi",
    ),
    ("    token: eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJpc3MiOiJrdWJl." + BODY, "eyJhbGci"),
    ("apiVersion: v1\nkind: Secret\ndata:\n  password: c3dvcmRmaXNo", "c3dvcmRmaXNo"),
    ("Cookie: session=" + BODY[:20] + "; theme=dark", BODY[:20]),
    ("Set-Cookie: sid=s%3Aabc123def456.zz; Path=/; HttpOnly", "abc123def456"),
    ("PHPSESSID=r2t5uvjq435r4q7ib3vtdjq120", "r2t5uvjq"),
    ("document.cookie = 'auth_token=abcdef123456'", "abcdef123456"),
    ("?sv=2022-11-02&ss=b&sig=Ab%2Fcd12345%3D&se=2026", "Ab%2Fcd12345%3D"),
    ("https://x.blob.core.windows.net/c/f?sv=2022&sig=Ab%2Fcd12345%3D", "cd12345"),
    ("CLOUDFLARE_API_TOKEN=" + BODY + "abcd_1-X", BODY[:10]),
    ("cloudflare global api key: " + HEX[:37], HEX[:37]),
    ("DD_API_KEY=" + HEX[:32], HEX[:32]),
    ("heroku api key: 7c3e1f9a-52b8-4d06-9e1f-a0b4c8d27356", "7c3e1f9a-52b8"),
    ("TWILIO_AUTH_TOKEN=" + HEX[:32], HEX[:32]),
    ("okta: Authorization: SSWS 00" + BODY, BODY[:10]),
    (
        "[Interface]\nPrivateKey = yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=\nAddress = 10.0.0.2/32",
        "yAnz5TF",
    ),
    ("PresharedKey=/UwcSPg38hW/D9Y3tcS1FOV0K1wuURMbS0sesJEP5ak=", "UwcSPg38"),
    ("private key: 0x" + HEX, HEX[:12]),
    ("the private key is " + HEX, HEX[:12]),
    ("api_key=" + HEX[:32], HEX[:32]),
    ('"accessToken": "' + HEX[:40] + '"', HEX[:40]),
    ("the api token is " + HEX[:40], HEX[:40]),
    ("your verification code is 482913", "482913"),
    ("验证码是482913", "482913"),
    ("backup codes: 4821-9931 5521-0032 7781-1123", "7781-1123"),
    ("otpauth://totp/Ada?secret=JBSWY3DPEHPK3PXP&issuer=x", "JBSWY3DPEHPK3PXP"),
    ("Signal PIN is 48213", "48213"),
    ("seed phrase: witch collapse practice feed shame open", "shame"),
    ('my password is "my cat is old"', "my cat is old"),
    ("das Kennwort lautet „mein Hund bellt laut“", "Hund bellt"),
    ("le mot de passe est « mon chat est vieux »", "chat est"),
    ("パスワードは「さくらの木の下」です", "さくらの木"),
    ("htpasswd: ada:$apr1$abcdefgh$ijklmnopqrstuvwxyz0123", "ijklmnop"),
    ("django SECRET_KEY = 'django-insecure-a(b)c#d$e%f^g&h*i-j_k=l+m'", "a(b)c#d"),
    ('{"password": "swordfish"}', "swordfish"),
    ("DB_PASS: letmein", "letmein"),
    ("db_pass: letmein", "letmein"),
    ("db_pass=letmein", "letmein"),
    ('smtpPass: "letmein"', "letmein"),
    ('"mail.pass": "letmein"', "letmein"),
    ("wifi-pass: swordfish", "swordfish"),
    ("dbpass: letmein", "letmein"),
    ("MYSQLPASS=letmein", "letmein"),
    ("NAS_PW: letmein", "letmein"),
    ("root_pw = letmein", "letmein"),
    ("ZEPHYR_PASS: letmein", "letmein"),
    ("zephyr_pass: Blume42!", "Blume42!"),
    ("REDIS_1_PASS: letmein", "letmein"),
    ('"{\\"password\\": \\"swordfish\\"}"', "swordfish"),
    ("The passcode for the clubhouse is 4417", "4417"),
    ("Meine Seed-Phrase: witch collapse practice feed shame open", "shame"),
]
"""A text and its secret, or the part of it that would be easiest to miss."""

HARMLESS = [
    "commit 3f2a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a broke it",
    "id 123e4567-e89b-12d3-a456-426614174000",
    "sha256-n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=",
    "image@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "/home/vera/projects/harbour/src/tideSensorCollector2/index.ts",
    "We run v1.2.3-rc.4+build.567 on node 20.11.1",
    "Qwen2.5-0.5B-Instruct-Q4_K_M.gguf",
    "claude-3-5-sonnet-20241022 and gpt-4o-mini-2024-07-18",
    "meta-llama/Llama-3.3-70B-Instruct",
    "text-embedding-3-small",
    "ISBN 978-3-16-148410-0",
    "ISBN 9783161484100",
    "call 0043 660 1234567",
    "phone +1 (415) 555-0132",
    "+49 170 1234567",
    "order 20260310-4711",
    "order number 4012345678901234",
    "tracking 1Z999AA10123456784",
    "invoice INV-2026-00042",
    "The password manager is Bitwarden.",
    "our password manager is 1Password",
    "mein Passwortmanager ist Bitwarden.",
    "the password is in the vault",
    "the password is required",
    "passwords expire every 90 days",
    "the password is stored in the vault",
    "the password is too short",
    "the password is the same as for the NAS",
    "the password is case sensitive",
    "the password policy changed in May",
    "password reset works now",
    "the password is eight characters long",
    "The password is always eight characters long",
    "the password is on a sticker under the router",
    "ask Ada for the password",
    "we store passwords hashed with argon2",
    "the wifi password is on the fridge",
    "das Passwort steht im Tresor",
    "das Passwort ist im Tresor",
    "das Passwort ist abgelaufen",
    "das Passwort ist sehr schwach",
    "la contraseña está en la caja fuerte",
    "la contraseña es demasiado corta",
    "la contraseña es obligatoria",
    "le mot de passe est dans le coffre",
    "le mot de passe est trop court",
    "a senha está no cofre",
    "a senha é muito fraca",
    "密码在保险箱里",
    "密码是必需的",
    "密码太短了",
    "パスワードは金庫にあります",
    "パスワードは必要です",
    "パスワードを忘れました",
    "the token lapses in June",
    "a token bucket of 5 per second",
    "the secret is to rest the dough",
    "MAX_TOKENS=4096",
    "max_tokens: 2048",
    "tokens per second: 41.2",
    "MAX_RETRIES_BEFORE_GIVING_UP=3",
    "PRIMARY_KEY=user_id",
    "sort_key: created_at",
    "cache_key = products-list-page-2",
    "PASSWORD_FILE=/run/secrets/db",
    "password: ${DB_PASSWORD}",
    "DB_PASS: ${DB_PASS}",
    "db_pass: required",
    "bypass: enabled2day",
    "bypass=enabled2day",
    "compass: north2east",
    "compass=north2east",
    "passenger: Ada2Lovelace",
    "overpass=bridge-7a",
    "trespass: section5b",
    "pass: 3 of 4",
    "PASS: all of the uploads",
    "TESTS_PASS: 240",
    "tests_pass: 118/120",
    "first_pass: parse2tree",
    "first-pass: parse the tree",
    "second-pass: cleanup of chapters",
    "render_pass: gbuffer0_albedo",
    "boarding_pass: LH1234-12A",
    "SHADOW_PASS: cascade_2x",
    "the early pass: done by 10am",
    "ZEPHYR_PASS: 240",
    "password=<your-password>",
    "API_KEY=$OPENAI_API_KEY",
    "token: {{ secrets.TOKEN }}",
    "password: ********",
    "PASS: test_login_flow",
    "3 passed, pass 2 of 3",
    "the pin header has 40 pins",
    "pin 4 is 3300 ohm",
    "10.0.0.12:8080 answers",
    "localhost:5432 is up",
    "https://example.com/path@v2",
    "http://host:8080/a@b",
    "https://example.com/?page=2&sort=asc",
    "git@github.com:ada/harbour.git",
    "user ada has no password yet",
    "login page / signup page",
    "the user and password fields are empty",
    "log in with Google / Apple",
    "login: see the wiki",
    "account 4 is closed",
    "Cookie: oatmeal raisin recipe",
    "I baked a cookie: it was good",
    "key: D minor",
    "the key is under the mat",
    "the access key is in the vault",
    "The sdk-version is 2.0",
    "docker run -p 8080:80 nginx",
    "mysql -u root -p",
    "ssh -p 2222 box",
    "curl -u ada https://x.example",
    "git log --author=ada",
    "npm i sk-learn-wrapper-utils-for-node",
    "global-configuration-settings-for-everything",
    "glue-something-long-identifier-name",
    "AUTH_ENABLED=true",
    "session: monday 10:00",
    "The session is at 10:00 in room 204",
    "base64 of the logo",
    "DE is Germany, GB is Great Britain",
    "2026-03-10T09:15:23Z",
    "1760000000000",
    "snowflake 412345678901234567",
    "the seed phrase is in the safe",
    "my seed phrase has 24 words",
    "I can carry the camera and the ladder upstairs alone again tomorrow",
    "coordinates 47.0707, 15.4395",
    "MAC 00:1A:2B:3C:4D:5E",
    "IPv6 2001:0db8:85a3:0000:0000:8a2e:0370:7334",
    "hex color #3f9c1a",
    "A3-paper prints",
    "see RFC 6749",
    "passport office opens at 9",
    "she passed the exam with 95 points",
    "compass: north",
    "a passing train",
    "bypass: enabled",
    "the author: Ada Lovelace",
    "auth: use OAuth for the app",
    "signature: Ada",
    "Our secret santa is on 2026-12-18",
    "Das Geheimnis ist Butter",
    "the pass is open until October",
    "Der Pass ist bis Oktober offen",
    "The mountain pass is closed",
    "el pase es gratis",
    "key=value pairs",
    "monkey=banana1",
    "keyboard: Keychron K2 v2",
    "license: Apache-2.0",
    "The code is 42 lines long",
    "the code is at src/main.py:120",
    "PR #4821 and issue 5813",
    "zip code 8010",
    "the area code is 0316",
    "error code 500",
    "exit code 137",
    "the postal code is 90210",
    "country code 43",
    "Passwort vergessen? Hier klicken",
    "the user is bob",
    "user: bob",
    "username: ada99",
    "usuario: ana",
    "bob/alice",
    "and/or",
    "AC/DC",
    "24/7",
]


@pytest.mark.parametrize(("text", "secret"), SAID)
def test_a_secret_goes_whatever_stands_around_it(text: str, secret: str) -> None:
    assert secret in text
    for around in ("{}", "ok, {}", "> {}", "- {}\n- next", "before\n{}\nafter"):
        whole = around.replace("{}", text)
        assert secret not in redact(whole).text, around


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact(text).text == text


def test_what_names_a_secret_stays_beside_it() -> None:
    text = "the wifi password is correct horse battery staple, and the rent is 900 euros"
    assert redact(text).text == f"the wifi password is {REDACTED}, and the rent is 900 euros"
    assert redact("user: bob pw bla").text == f"user: bob pw {REDACTED}"
    assert redact("DB_PASS=letmein\nDB_HOST=db").text == f"DB_PASS={REDACTED}\nDB_HOST=db"


def test_the_kind_is_told() -> None:
    assert redact("IBAN DE89 3704 0044 0532 0130 00").found == ("Bank Account",)
    assert Span(8, 12, "PIN") in set(spoken.find("the PIN 4821"))


def test_a_checksum_decides_about_accounts_and_cards() -> None:
    assert redact("DE88 3704 0044 0532 0130 00").text == "DE88 3704 0044 0532 0130 00"
    assert redact("4111 1111 1111 1112").text == "4111 1111 1111 1112"
    assert redact("DE89 3704 0044 0532 0130 00 and more").text == f"{REDACTED} and more"


@pytest.mark.parametrize("word", ["falsch", "required", "必需的", "忘れました", "incorrecta"])
def test_talk_is_no_password(word: str) -> None:
    assert values.is_talk(word)


@pytest.mark.parametrize(
    "unit",
    ["curl -u ", "password to ", "login a / ", "A=", "a:b;", "cookie: a=", "legal ", "DE89 3704 ",
     "authorization: basic ", "x-key: ", "PrivateKey = ", "seed phrase is ", "echo ", "密码是",
     "パスワードは", '"secret": "', '\\"token\\": ', "eyJa.", "mysql -p", "user x pw ", "://", "0 1 2 "],
)  # fmt: skip
def test_the_time_is_linear(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        started = time.process_time()
        redact(text)
        return time.process_time() - started

    small, large = seconds(4_000), seconds(32_000)
    assert large < 24 * max(small, 0.01)
