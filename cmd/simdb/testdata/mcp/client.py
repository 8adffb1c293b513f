"""Asks simdb mcp through the client of the protocol in Python, over both transports."""

import asyncio
import subprocess
import sys

from mcp import Client, MCPError, StdioServerParameters

corpus = sys.argv[1]
text = "An agent writes down what it has learnt, and looks first whether it knows that already."


async def both(agent, writes):
    tools = {t.name: t for t in (await agent.list_tools()).tools}
    assert ("remember" in tools) == writes, tools.keys()
    assert all(t.output_schema for t in tools.values())  # by which the client checks each answer

    async def call(tool, **arguments):
        answer = await agent.call_tool(tool, arguments)
        assert not answer.is_error, answer
        return answer.structured_content

    async def refused(tool, says, **arguments):
        answer = await agent.call_tool(tool, arguments)
        assert answer.is_error and says in answer.content[0].text, answer

    await refused("similar", "give text or id")
    await refused("similar", "no measure", text="a b c", measure="meaning")
    await refused("similar", "simdb://collections", text="a b c", collection="nowhere")
    await refused("query", "--allow-writes", statement="DELETE FROM docs WHERE id = 'x'")
    try:
        await agent.read_resource("simdb://docs/nowhere")
        raise AssertionError("a document that is not there")
    except MCPError as error:
        assert "nowhere" in str(error), error
    if writes:
        first, second = await asyncio.gather(call("remember", text=text), call("remember", text=text + " Always."))
        assert sorted([first["stored"], second["stored"]]) == [False, True], (first, second)
        kept = first if first["stored"] else second
        assert text in (await agent.read_resource(kept["uri"])).contents[0].text
    else:
        assert (await call("similar", id="release-1.1.txt"))["matches"][0]["shared"] == 135
        assert (await call("nearest", text="a strip of paper with a hole"))["matches"]
        assert (await call("compare", a_id="backup.txt", b_id="backup-copy.txt"))["passages"]
        assert (await call("sources", id="backup-copy.txt"))["sources"][0]["id"] == "backup.txt"
        assert len((await call("query", statement="SELECT id FROM docs"))["rows"]) == 8
        assert "docs" in (await agent.read_resource("simdb://collections")).contents[0].text
        assert "lecture" in (await agent.read_resource("simdb://docs/lecture.txt")).contents[0].text


async def main():
    for args, writes in [([corpus], False), (["--allow-remember", "stdio.simdb"], True)]:
        async with Client(StdioServerParameters(command="simdb", args=["mcp", *args])) as agent:
            await both(agent, writes)
        print("ok: over standard input,", "writing" if writes else "reading")
    for args, writes in [([corpus], False), (["--allow-remember", "http.simdb"], True)]:
        command = ["simdb", "mcp", "--addr", "127.0.0.1:0", *args]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                async with Client(server.stdout.readline().strip()) as agent:
                    await both(agent, writes)
            finally:
                server.terminate()
        assert server.returncode == 0, server.returncode
        print("ok: over HTTP,", "writing" if writes else "reading")


asyncio.run(main())
