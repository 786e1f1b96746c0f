"""People, their credentials and their conversations as JSON, without any secret."""

from assent.gate.conversation import Conversation
from assent.gate.people import Credential, Person
from assent.wire import shapes
from assent.wire.fields import maybe_moment_to_json


def person_to_json(person: Person) -> dict[str, object]:
    """The complete person as JSON, with the identity at their sign-in provider."""
    return {
        "id": person.id,
        "name": person.name,
        "identity": person.identity,
        **person_to_public_json(person),
    }


def person_to_public_json(person: Person) -> shapes.PersonJson:
    """A person as JSON, as the API returns it."""
    return {
        "id": person.id,
        "name": person.name,
        "administrator": person.administrator,
        "disabled_at": maybe_moment_to_json(person.disabled_at),
        "added_at": maybe_moment_to_json(person.added_at),
    }


def credential_to_json(credential: Credential) -> dict[str, object]:
    """The complete credential as JSON, without its secret."""
    return {**credential_to_public_json(credential), "ended_at": maybe_moment_to_json(credential.ended_at)}


def credential_to_public_json(credential: Credential) -> shapes.CredentialJson:
    """An active credential as JSON, without its secret."""
    return {
        "id": credential.id,
        "purpose": credential.purpose.value,
        "kind": credential.kind.value,
        "principal_id": credential.principal_id,
        "on_behalf": credential.on_behalf,
        "label": credential.label,
        "made_by": credential.made_by,
        "made_at": maybe_moment_to_json(credential.made_at),
        "expires_at": maybe_moment_to_json(credential.expires_at),
    }


def conversation_to_json(conversation: Conversation) -> shapes.ConversationJson:
    """The complete conversation as JSON; the mode keeps its spelling."""
    return {
        "id": conversation.id,
        "owner": conversation.owner,
        "agent": conversation.agent,
        "preset": conversation.preset,
        "mode": conversation.mode,
        "title": conversation.title,
        "model": conversation.model,
        "at": maybe_moment_to_json(conversation.at),
    }
