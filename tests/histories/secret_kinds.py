"""A hundred further kinds of secrets, and two hundred lines that hold none.

They were written before the shapes of `histories.secrets` were widened to them. A secret is made
up when the tests run, so that no scanner of repositories takes it for a real one.
"""

import random
import string

CHANCE = random.Random(11)
DIGITS, HEX = string.digits, "0123456789abcdef"
ALL = string.ascii_letters + DIGITS
LOWER, UPPER = string.ascii_lowercase + DIGITS, string.ascii_uppercase + DIGITS


def any_of(letters: str, count: int) -> str:
    return "".join(CHANCE.choices(letters, k=count))


UUID = "-".join(any_of(HEX, count) for count in (8, 4, 4, 4, 12))
PHRASE = "witch collapse practice feed shame open despair creek road again ice least"
WORDS = "correcthorsebattery"

# (line, secret): the secret stands at {}.
KINDS = [
    # Our own.
    ("export CONCEPT_GRAPH_TOKEN={}", "cgm_" + any_of(ALL + "-_", 43)),
    ("here is the token: {}", "cgm_" + any_of(ALL + "-_", 43)),
    # Passwords as people write them.
    ("password: {}", "correcthorse"),
    ("Password = {}", "monkey"),
    ("**Password:** {}", "sunshine99"),
    ("- **Passwort**: `{}`", "Sommer2024"),
    ("pw: {}", "letmein1"),
    ("pass: {}", "tr0ub4dor"),
    ("the password is {}", "hunter2"),
    ("My password is {}, please remember it.", WORDS),
    ("das Passwort ist {}", "Gartenzwerg7"),
    ("Das Kennwort lautet {}", "Blumentopf!"),
    ("Mein WLAN-Passwort: {}", "katzenklo-22"),
    ("la contraseña es {}", "perrito2020"),
    ("contraseña: {}", "gatonegro"),
    ("minha senha é {}", "cachorro99"),
    ("senha: {}", "amarelinha"),
    ("le mot de passe est {}", "chocolatine"),
    ("mot de passe : {}", "fromage42"),
    ("la password è {}", "gelato2000"),
    ("wachtwoord: {}", "fietsbel1"),
    ("パスワードは{}です", "sakura2024"),
    ("Wi-Fi password - {}", "bluewhale88"),
    ("Login: ann / Password: {}", "teapot"),
    ("user=ann password={} host=db", "plainword"),
    ("PIN: {}", "4821"),
    ("my PIN is {}", "90321"),
    ("Meine PIN ist {}", "7714"),
    ("passcode {}", "558204"),
    ("the recovery phrase: {}", PHRASE),
    # Environment and configuration.
    ("DB_PASS={}", "swordfish"),
    ("DATABASE_PASSWORD={}", "swordfish"),
    ("MYSQL_ROOT_PASSWORD: {}", "rootroot"),
    ("PGPASSWORD={} psql -h db", "elephant"),
    ("REDIS_PASS='{}'", "redredred"),
    ("SECRET_KEY = '{}'", any_of(ALL + "!@#$%^&*(-_=+)", 50)),
    ("JWT_SECRET={}", "mysupersecretjwt"),
    ("SESSION_SECRET={}", "keyboardcat"),
    ("ENCRYPTION_KEY={}", any_of(HEX, 64)),
    ("spring.datasource.password={}", "springy"),
    ("  password: \"{}\"", "yamlvalue"),
    ("<password>{}</password>", "xmlvalue"),
    ('{{"client_secret": "{}"}}', any_of(ALL, 32)),
    ("machine git.example login ann password {}", any_of(ALL, 20)),
    ("//registry.example/:_authToken={}", any_of(HEX + "-", 36)),
    ("//registry.example/:_password={}", any_of(ALL, 24)),
    ("Server=db;User Id=sa;Password={};Encrypt=true", "Pa$$word"),
    ("jdbc:mysql://db/cake?user=ann&password={}", "jdbcpw"),
    ("DefaultEndpointsProtocol=https;AccountName=a;AccountKey={};", any_of(ALL, 86) + "=="),
    ("SharedAccessKey={}", any_of(ALL, 43) + "="),
    ("https://a.blob.example/x?sv=2022&sig={}", any_of(ALL, 43) + "%3D"),
    ("requirepass {}", "redis-pw-1"),
    # Command lines.
    ("curl -u ann:{} https://a.example", "tinpot"),
    ("curl --user 'ann:{}' https://a.example", "tin pot"),
    ("mysql -u root -p{} cake", "s3cret"),
    ("mysqldump --password={} cake", "plain"),
    ("sshpass -p {} ssh ann@a.example", "rabbit"),
    ("sshpass -p '{}' ssh ann@a.example", "rab bit"),
    ("docker login -u ann -p {} registry.example", "dockerpw"),
    ("docker login --username ann --password {}", "dockerpw2"),
    ("htpasswd -b file ann {}", "htpw1234"),
    ("redis-cli -a {} ping", "redispw"),
    ("echo {} | sudo -S apt update", "sudopw"),
    ("az login --service-principal -u app -p {} --tenant t", any_of(ALL, 34)),
    ("vault login {}", "s." + any_of(ALL, 24)),
    ("smbclient //a/b -U ann%{}", "smbpw"),
    ("wget --password={} https://a.example/f", "wgetpw"),
    ("openssl enc -aes-256-cbc -pass pass:{} -in f", "opensslpw"),
    # Vendors.
    ("docker hub: {}", "dckr_pat_" + any_of(ALL + "-_", 27)),
    ("azure ad: {}", any_of(ALL, 3) + "8Q~" + any_of(ALL + "-_~.", 34)),
    ("{}", "mfa." + any_of(ALL + "-_", 84)),
    ("discord hook https://discord.com/api/webhooks/1234567890123456789/{}", any_of(ALL, 68)),
    ("aws_session_token = {}", "IQoJb3JpZ2luX2Vj" + any_of(ALL + "/+", 200) + "=="),
    ("AWS_SESSION_TOKEN={}", "FwoGZXIvYXdzE" + any_of(ALL + "/+", 120)),
    ("terraform {}", any_of(ALL, 14) + ".atlasv1." + any_of(ALL, 67)),
    ("mailgun {}", "key-" + any_of(HEX, 32)),
    ("mailgun 2 {}", f"{any_of(HEX, 32)}-{any_of(HEX, 8)}-{any_of(HEX, 8)}"),
    ("age {}", "AGE-SECRET-KEY-1" + any_of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)),
    ("doppler {}", "dp.pt." + any_of(ALL, 43)),
    ("pulumi {}", "pul-" + any_of(HEX, 40)),
    ("sentry {}", "sntrys_" + any_of(ALL + "+/=", 80)),
    ("new relic {}", "NRAK-" + any_of(UPPER, 27)),
    ("datadog DD_API_KEY={}", any_of(HEX, 32)),
    ("heroku HEROKU_API_KEY={}", UUID),
    ("cloudflare CLOUDFLARE_API_TOKEN={}", any_of(ALL + "-_", 40)),
    ("fly {}", "fo1_" + any_of(ALL + "-_", 43)),
    ("supabase {}", "sbp_" + any_of(HEX, 40)),
    ("planetscale {}", "pscale_tkn_" + any_of(ALL + "-_", 43)),
    ("atlassian {}", "ATATT3xFfGF0" + any_of(ALL + "-_=", 180)),
    ("figma {}", "figd_" + any_of(ALL + "-_", 40)),
    ("airtable {}", "pat" + any_of(ALL, 14) + "." + any_of(HEX, 64)),
    ("rubygems {}", "rubygems_" + any_of(HEX, 48)),
    ("brevo {}", "xkeysib-" + any_of(HEX, 64) + "-" + any_of(ALL, 16)),
    ("facebook {}", "EAACEdEose0cBA" + any_of(ALL, 80)),
    ("square {}", "EAAA" + any_of(ALL + "-_", 60)),
    ("gitlab runner {}", "glrt-" + any_of(ALL + "-_", 20)),
    ("tavily {}", "tvly-" + any_of(ALL, 32)),
    ("langsmith {}", f"lsv2_pt_{any_of(HEX, 32)}_{any_of(HEX, 10)}"),
    ("Cookie: sessionid={}", any_of(LOWER, 32)),
    ("Cookie: theme=dark; auth={}", any_of(ALL, 12)),
]  # fmt: skip
assert len(KINDS) == 100

HARMLESS = """
I forgot my password again and had to reset it.
The password must have at least twelve characters.
Please change your password: it is too old.
The password field is empty.
Is the password correct?
My password manager is Bitwarden.
The password is wrong.
The password is too short, it says.
The password is not stored anywhere.
The password was changed yesterday by Tom.
Which password should I use for the router?
password: see the vault
Password: required
password: string
The API key is missing.
The API key is in the vault.
api_key: str | None = None
token: str
secret: bool
The secret is patience.
The secret is that we add a little lemon.
Her secret: she never sleeps before midnight.
It was a well kept secret.
The key is under the mat.
The key to this is practice.
Turn the key twice.
A token of my love.
Each token costs less than a cent.
The token budget is 1200.
The tokenizer splits the text into tokens.
tokens: 1200
max_tokens=4096
token_count = 17
"tokens": 300
Das Passwort habe ich vergessen.
Das Passwort ist falsch.
Das Passwort ist abgelaufen.
Das Passwort muss geändert werden.
Mein Passwort ist sicher.
La contraseña es incorrecta.
Olvidé la contraseña.
La contraseña no funciona.
A senha está errada.
Esqueci a minha senha.
A senha é obrigatória.
Le mot de passe est faux.
J'ai oublié mon mot de passe.
I need a new passport: mine expires in May.
The passport office is closed.
She passed the exam: 87 points.
Pass me the salt.
Pass: 34, fail: 2
pass: 12 of 14 tests
The mountain pass is at 2,400 m.
He works in security.
We met at the secretary's office.
Secretary: Anna Weber
The PIN number of the pressure cooker part is on the box.
I put a pin in the map.
PIN: see the letter
pinned to the board
He kept it secret from me.
My key ring has four keys.
Keyboard shortcuts: ctrl-c copies.
Keynote: Tuesday at nine
key: value
"key": "value"
primary key: id
foreign key: user_id
ssh-keygen -t ed25519
public key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA
git commit 3f2a9c1b04de5f6a7b8c9d0e1f2a3b4c5d6e7f80
sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
md5 d41d8cd98f00b204e9800998ecf8427e
id 01977420-dc00-7388-ab0b-adaa0d6f402e
01J9ZK3V5Q8W7XN2YB4C6D8E0F is the memory's id.
The order number is 302-1184652-9923517.
Call me at +49 170 1234567.
My address is Hauptstraße 17, 12345 Berlin.
ann.b.clara@example.com
https://example.com/a/path?with=parameters&and=more#fragment
https://example.com/login?next=/home
https://docs.example.com/tokens/refresh
http://localhost:8080/api/v1/users
postgres://localhost/cake
redis://localhost:6379/0
ssh ann@a.example
scp -p file ann@a.example:/tmp
mkdir -p src/components
docker run -p 8080:80 nginx
docker compose -p cake up
ps -p 1234
curl -u https://a.example
curl -X POST https://a.example/login
python -m pytest -p no:cacheprovider
rsync -avz --progress a b
cp -a src dst
tar -p -xf a.tar
mysql -u root cake
mysql -p
psql -h db -U ann cake
git push -u origin main
npm install --save-dev typescript
npx create-react-app my-app
sudo apt update
grep -a pattern file
redis-cli ping
vault status
openssl version
az login
docker login
sshpass is a tool I do not like.
The basic idea: authorization by roles.
Authorization: see the manual
The bearer of this letter is my brother.
Bearer bonds are rare now.
cookie: a small biscuit
We baked cookies: chocolate and nut.
Set-Cookie is a header.
Accept cookies?
The session is at nine.
Session: 2025-06-01, room 4
session_id = 17
Terraform plans took ten minutes.
The age limit is eighteen.
age: 34
Age-secret societies are a theme of the book.
Discord was down today.
The discord between them grew.
Mailgun sends our mails.
We use Docker and Azure.
Heroku is expensive.
Datadog alerts at night.
Our cloud bill was 1,234.56 euros.
skilled-labour-and-other-things
task-force-reports-of-2025
a-very-long-slug-of-a-blog-post-about-gardening-in-spring
The file is /home/ann/projects/concept-graph/query_modules/conceptgraph_core/retrieval/scoring.py
C:\\Users\\Ann\\Documents\\Budget 2025.xlsx
version 1.2.3-rc.4+build.567
v0.149.1
The wifi is slow in the kitchen.
Wi-Fi: the router is in the hall
Router model: AX3000
Serial number: C02XG2JHJG5H
The licence plate is B-MW 1234.
ISBN 978-3-16-148410-0
VIN WVWZZZ1JZXW000001
Booking reference: XK7P2M
My flight is LH2438 on Friday.
Gate B17, seat 23A
The recipe: 200 g flour, 3 eggs, 100 ml milk
Dosis: 50 µg Levothyroxin
blood type: A positive
My shoe size is 42.
The recovery took six weeks.
The phrase of the day: carpe diem
A seed phrase is a list of words.
The recovery phrase is in the safe.
He is a witch in the play, she is a creek.
def login(user, password):
password = input()
password = getpass.getpass()
password=os.environ["DB_PASS"]
PASSWORD=${DB_PASSWORD}
PASSWORD=$DB_PASSWORD
password: {{ vault_password }}
password: <your password>
password: ********
password: ••••••••
password=xxxxx
token = get_token()
token = response.json()["token"]
self.token = token
secret = secrets.token_urlsafe(32)
api_key=os.getenv("API_KEY")
if password is None:
assert password == expected
raise ValueError("password: must not be empty")
<input type="password" name="pw">
type: password
- password (required)
The function takes user and password.
| user | password |
SELECT password FROM users
ALTER USER ann WITH PASSWORD
The pw command manages users on FreeBSD.
Kennwort vergessen?
Das Kennwort ist dasselbe wie immer.
PIN vergessen
Die PIN steht im Brief.
Meine PIN ist gesperrt.
La clave está en la caja.
La clave es escuchar.
A chave está na porta.
The pass phrase game was fun.
Please pass the word on.
I will pass on that: too expensive.
By the way, my sister said hello.
Tomorrow at ten: dentist.
Lunch with Sam on Tuesday, 12:30.
おはようございます、パスワードを忘れました。
パスワードは変更されました。
秘密は何ですか。
The train leaves at 10:42 from platform 7.
Thanks, that is all for today!
Basic auth is not enough for us.
a1b2c3 is the branch name.
The tests passed: 11,832 of them.
""".strip().splitlines()
