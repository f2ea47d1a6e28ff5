// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC721URIStorage} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721URIStorage.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

/// The interface of the ERC-8004 registries that others have deployed, as far as the service uses it: no forwarder, numbers
/// from 0, agents minted to whoever can take them, no index of registrants, and no answer told from one of zero.
contract DeployedIdentities is ERC721URIStorage {
    uint256 private _next;

    event Registered(uint256 indexed agentId, string agentURI, address indexed owner);

    constructor() ERC721("AgentIdentity", "AGENT") {}

    function register(string memory agentURI) external returns (uint256 agentId) {
        agentId = _next++;
        _safeMint(msg.sender, agentId);
        _setTokenURI(agentId, agentURI);
        emit Registered(agentId, agentURI, msg.sender);
    }
}

contract DeployedReputations {
    address public immutable getIdentityRegistry;
    mapping(uint256 agentId => mapping(address client => uint64)) public getLastIndex;

    event NewFeedback(
        uint256 indexed agentId,
        address indexed clientAddress,
        uint64 feedbackIndex,
        int128 value,
        uint8 valueDecimals,
        string indexed indexedTag1,
        string tag1,
        string tag2,
        string endpoint,
        string feedbackURI,
        bytes32 feedbackHash
    );

    constructor(address identities) {
        getIdentityRegistry = identities;
    }

    function giveFeedback(
        uint256 agentId,
        int128 value,
        uint8 valueDecimals,
        string memory tag1,
        string memory tag2,
        string memory endpoint,
        string memory feedbackURI,
        bytes32 feedbackHash
    ) external {
        require(DeployedIdentities(getIdentityRegistry).ownerOf(agentId) != msg.sender, "Self-feedback not allowed");
        getLastIndex[agentId][msg.sender]++;
        emit NewFeedback(
            agentId,
            msg.sender,
            getLastIndex[agentId][msg.sender],
            value,
            valueDecimals,
            tag1,
            tag1,
            tag2,
            endpoint,
            feedbackURI,
            feedbackHash
        );
    }
}

contract DeployedValidations {
    struct Status {
        address validatorAddress;
        uint256 agentId;
        uint8 response;
        bytes32 responseHash;
        string tag;
        uint256 lastUpdate;
    }

    address public immutable getIdentityRegistry;
    mapping(bytes32 requestHash => Status) private _statuses;

    event ValidationRequest(
        address indexed validatorAddress, uint256 indexed agentId, string requestURI, bytes32 indexed requestHash
    );
    event ValidationResponse(
        address indexed validatorAddress,
        uint256 indexed agentId,
        bytes32 indexed requestHash,
        uint8 response,
        string responseURI,
        bytes32 responseHash,
        string tag
    );

    constructor(address identities) {
        getIdentityRegistry = identities;
    }

    function validationRequest(
        address validatorAddress,
        uint256 agentId,
        string calldata requestURI,
        bytes32 requestHash
    ) external {
        require(DeployedIdentities(getIdentityRegistry).ownerOf(agentId) == msg.sender, "Not authorized");
        require(_statuses[requestHash].validatorAddress == address(0), "exists");
        _statuses[requestHash] = Status(validatorAddress, agentId, 0, 0, "", block.timestamp);
        emit ValidationRequest(validatorAddress, agentId, requestURI, requestHash);
    }

    function validationResponse(
        bytes32 requestHash,
        uint8 response,
        string calldata responseURI,
        bytes32 responseHash,
        string calldata tag
    ) external {
        Status storage status = _statuses[requestHash];
        require(msg.sender == status.validatorAddress, "not validator");
        status.response = response;
        status.responseHash = responseHash;
        status.tag = tag;
        status.lastUpdate = block.timestamp;
        emit ValidationResponse(msg.sender, status.agentId, requestHash, response, responseURI, responseHash, tag);
    }

    function getValidationStatus(bytes32 requestHash)
        external
        view
        returns (address, uint256, uint8, bytes32, string memory, uint256)
    {
        Status storage found = _statuses[requestHash];
        require(found.validatorAddress != address(0), "unknown");
        return (
            found.validatorAddress, found.agentId, found.response, found.responseHash, found.tag, found.lastUpdate
        );
    }
}
