# The app in a container (docs/shared_server.md): the user is not root, and only /data is written to.
FROM python:3.13-slim

COPY requirements.lock .
RUN pip install --no-cache-dir --require-hashes --requirement requirements.lock
RUN --mount=type=bind,target=/source,rw pip install --no-cache-dir --no-deps /source

RUN mkdir /data && chown 10001:10001 /data
USER 10001:10001
WORKDIR /data
ENV HOME=/data MANIFOLIO_HOME=/data PYTHONDONTWRITEBYTECODE=1
VOLUME /data
EXPOSE 8501

# Any answer will do: without the token, the answer is a refusal.
HEALTHCHECK --start-period=60s --timeout=10s CMD ["python", "-c", "from http.client import HTTPConnection as Ask; ask = Ask('localhost', 8501, timeout=5); ask.request('GET', '/_stcore/health'); ask.getresponse()"]
CMD ["manifolio", "--server.headless=true", "--server.address=0.0.0.0", "--server.port=8501"]
