# The keeper as an image: nofluke with its server, for SQLite in /data or PostgreSQL elsewhere.
# What builds it stays in the first stage. Nothing in it is secret: settings come by the
# environment when it runs (docs/reference/keeper-settings.md).
FROM python:3.13-slim-bookworm AS build
WORKDIR /src
RUN python -m venv /opt/nofluke
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN /opt/nofluke/bin/pip install --no-cache-dir --disable-pip-version-check ".[server,postgres]"

FROM python:3.13-slim-bookworm
RUN groupadd --gid 10001 nofluke \
    && useradd --uid 10001 --gid 10001 --no-log-init --no-create-home --shell /usr/sbin/nologin nofluke \
    && install --directory --owner=nofluke --group=nofluke --mode=0700 /data
COPY --from=build /opt/nofluke /opt/nofluke
# All that is written at run time goes to /data or, where it may be lost, to /tmp: the root file
# system can be read-only.
ENV PATH=/opt/nofluke/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HOME=/tmp \
    XDG_CACHE_HOME=/tmp/cache \
    NUMBA_CACHE_DIR=/tmp/numba \
    MPLCONFIGDIR=/tmp/matplotlib \
    NOFLUKE_STORE=sqlite:////data/keeper.db \
    NOFLUKE_FOLDER=/data/uploads \
    NOFLUKE_HOST=0.0.0.0 \
    NOFLUKE_PORT=8000
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
# The server finishes the look at hand.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
ENTRYPOINT ["nofluke"]
CMD ["serve"]
