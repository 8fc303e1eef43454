"""No secret stands in the database, in a log, in a message or in what a record shows of itself."""

import base64
import logging
import traceback
from pathlib import Path

import pytest
from folk import OTHER, PASSWORD, SETTINGS, board, invitation, secret_of, user
from sqlalchemy import select

from nofluke.database import tables
from nofluke.errors import NoflukeError
from nofluke.server import accounts
from nofluke.server.web import csrf


class Watch:
    """Looks for every secret wherever one might have been left."""

    def __init__(self, database, log, folder):
        self.database, self.log, self.folder = database, log, folder
        self.secrets, self.said = [PASSWORD, OTHER], []

    def call(self, ask, *args, **how):
        """Calls, keeps the secret that comes back, and looks."""
        answer = self._asked(ask, *args, **how)
        secret = getattr(answer, "secret", None) or (answer if isinstance(answer, str) else None)
        if secret is not None:
            self.secrets.append(secret_of(secret) if "//" in secret else secret)
        if not isinstance(answer, str):
            self.said += [repr(answer), str(answer)]
        self.look()
        return answer

    def _asked(self, ask, *args, **how):
        try:
            return ask(self.database, *args, **how)
        except NoflukeError as error:
            self.said += [str(error), repr(error), "".join(traceback.format_exception(error))]
            return None

    def look(self):
        places = [*self.said, self.log.text, *self._rows(), *self._files()]
        forms = {form for secret in self.secrets for form in written(secret)}
        for place in places:
            found = [form for form in forms if form in place]
            assert not found, place[:200]

    def _rows(self):
        with self.database.reading() as connection:
            for table in tables.METADATA.sorted_tables:
                for row in connection.execute(select(table)):
                    yield " ".join(
                        v.decode("latin-1") if isinstance(v, bytes) else str(v) for v in row
                    )

    def _files(self):
        for path in Path(self.folder).rglob("*"):
            if path.is_file():
                yield path.read_bytes().decode("latin-1")


def written(secret):
    """A secret as text, without its prefix, and in the encodings that hide nothing."""
    bare = secret[4:] if secret.startswith("nf") else secret
    return {secret, bare, bare.encode().hex(), base64.b64encode(bare.encode()).decode().rstrip("=")}


@pytest.fixture
def watch(database, caplog, tmp_path):
    caplog.set_level(logging.DEBUG)
    return Watch(database, caplog, tmp_path)


def test_the_watch_finds_what_is_left_behind(watch):
    with watch.database.writing() as connection:
        connection.execute(tables.settings.insert().values(name="slip", value=f"x{OTHER}x"))

    with pytest.raises(AssertionError):
        watch.look()


def test_no_secret_is_left_anywhere(watch):
    key = csrf.key(watch.database)
    link = watch.call(accounts.first_link, SETTINGS)
    first = secret_of(link)
    boss = watch.call(accounts.redeem, first, name="Boss", password=PASSWORD)
    watch.call(accounts.redeem, first, name="Boss", password=PASSWORD)
    watch.call(accounts.invited, first)
    watch.call(accounts.login, "Boss", OTHER)
    watch.call(accounts.login, PASSWORD, PASSWORD)  # typed into the wrong field
    session = watch.call(accounts.login, "Boss", PASSWORD)
    assert csrf.token(key, session) not in "".join(watch.said)
    watch.call(accounts.by_session, session)
    token = watch.call(accounts.make_token, boss, name="ci", scopes={"read"}, days=1)
    watch.call(accounts.by_token, token.secret)
    watch.call(accounts.by_token, token.secret + "x")
    watch.call(accounts.tokens, boss)
    watch.call(accounts.make_token, boss, name=token.secret + "\0", scopes={"read"}, days=1)
    watch.call(accounts.revoke, boss, token.secret)
    watch.call(accounts.invite_admin, boss)
    joining = invitation(watch.database, board(watch.database))
    watch.secrets.append(joining)
    watch.call(accounts.accept, boss, joining)
    watch.call(accounts.accept, boss, joining)
    ann = user(watch.database, "Ann")
    reset = watch.call(accounts.password_link, boss, ann.id).secret
    watch.call(accounts.reset_password, reset, password=PASSWORD[:9])
    watch.call(accounts.reset_password, reset, password=OTHER)
    watch.call(accounts.change_password, ann, old=PASSWORD, new=OTHER)
    watch.call(accounts.change_password, ann, old=OTHER, new=PASSWORD)
    watch.call(accounts.change_password, ann, old=PASSWORD, new="passwordpassword")
    watch.call(accounts.disable, boss, ann.id)
    watch.call(accounts.login, "Ann", PASSWORD)
    watch.call(accounts.enable, boss, ann.id)
    watch.call(accounts.logout, session)
    watch.call(accounts.users, boss)

    assert len(watch.secrets) >= 7
    assert len(watch.said) >= 40
