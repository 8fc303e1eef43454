"""Settings: where they come from, what is refused, and that no password is shown."""

from pathlib import Path

import pytest

from nofluke.errors import InputError
from nofluke.server.settings import Settings


def test_what_is_chosen_wins_over_the_environment_and_that_over_the_defaults():
    environ = {
        "NOFLUKE_STORE": "postgresql://u:pw@db/keeper",
        "NOFLUKE_PORT": "8080",
        "NOFLUKE_TRUSTED_HOSTS": "board.example.org, *.lab.example",
        "NOFLUKE_SECURE_COOKIES": "No",
        "NOFLUKE_FOLDER": "/srv/spool",
        "NOFLUKE_IDLE_HOURS": "0.5",
        "NOFLUKE_HOST": "",
        "NOFLUKE_CACHE": "of no concern here",
    }

    found = Settings.of(environ, port=9000, host=None)

    assert found.store == "postgresql://u:pw@db/keeper"
    assert (found.port, found.host) == (9000, "127.0.0.1")
    assert found.trusted_hosts == ("board.example.org", "*.lab.example")
    assert found.secure is False
    assert found.folder == Path("/srv/spool")
    assert (found.idle_hours, found.session_hours) == (0.5, 12.0)
    assert found.public_url == "http://127.0.0.1:9000"


def test_an_address_over_tls_makes_cookies_secure_and_its_host_trusted():
    found = Settings(public_url="https://Board.Example.org:8443/")

    assert found.public_url == "https://board.example.org:8443"
    assert found.secure
    assert found.secure_cookies is True
    assert Settings().secure_cookies is False
    assert found.cookie() == "__Host-nofluke-session"
    assert found.cookie_options() == {
        "path": "/",
        "httponly": True,
        "samesite": "lax",
        "secure": True,
    }
    assert found.trusted_hosts[0] == "board.example.org"
    assert found.link("nfi_x") == "https://board.example.org:8443/join/nfi_x"


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("0.0.0.0", "http://127.0.0.1:8000"),  # noqa: S104
        ("::", "http://127.0.0.1:8000"),
        ("::1", "http://[::1]:8000"),
        ("192.0.2.7", "http://192.0.2.7:8000"),
    ],
)
def test_without_a_public_address_links_lead_to_where_the_server_listens(host, url):
    assert Settings(host=host).public_url == url


@pytest.mark.parametrize(
    ("variable", "text", "says"),
    [
        ("PORT", "http", "expected a whole number"),
        ("PORT", "70000", "from 0 to 65535"),
        ("WORKERS", "1.5", "expected a whole number"),
        ("SESSION_HOURS", "nan", "expected a number from"),
        ("SESSION_HOURS", "0", "expected a number from"),
        ("SECURE_COOKIES", "perhaps", "expected yes or no"),
        ("LOG_FORMAT", "xml", "expected text or json"),
        ("PUBLIC_URL", "board.example.org", "an address without a path"),
        ("PUBLIC_URL", "https://board.example.org/sub", "an address without a path"),
        ("PUBLIC_URL", "https://board.example.org:99999", "an address without a path"),
        ("PUBLIC_URL", "javascript:alert(1)", "an address without a path"),
        ("PUBLIC_URL", "https://*", "an address without a path"),
        ("PUBLIC_URL", "https://*.example.org", "an address without a path"),
        ("PUBLIC_URL", "https://bücher.example", "in ASCII"),
        ("PUBLIC_URL", "https://ann:hunter2@board.example.org", "an address without a path"),
        ("TRUSTED_HOSTS", "https://board.example.org", "expected names"),
        ("MAX_UPLOAD_BYTES", "-1", "expected a whole number from"),
        ("RATE_FACTOR", "-1", "expected a number from"),
        ("STORE", "  ", "name a file"),
    ],
)
def test_what_cannot_be_used_is_refused_by_its_name(variable, text, says):
    with pytest.raises(InputError, match=says) as refused:
        Settings.of({f"NOFLUKE_{variable}": text})

    assert f"NOFLUKE_{variable}" in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_secure_cookies_need_tls_and_idling_ends_with_the_session():
    with pytest.raises(InputError, match="https"):
        Settings(secure_cookies=True)
    assert Settings(session_hours=1).idle_hours == 1


def test_the_password_of_the_store_is_not_shown():
    found = Settings(store="postgresql://u:hunter2@db/keeper")

    assert "hunter2" not in repr(found)
    assert "hunter2" not in str(found)
