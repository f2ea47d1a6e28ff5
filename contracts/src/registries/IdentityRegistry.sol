// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC2771Context} from "@openzeppelin/contracts/metatx/ERC2771Context.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721URIStorage} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721URIStorage.sol";
import {Context} from "@openzeppelin/contracts/utils/Context.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// Agents by number, as ERC-721 tokens, with the interface of ERC-8004. Numbers start at 1.
contract IdentityRegistry is ERC721URIStorage, ERC2771Context, EIP712 {
    struct MetadataEntry {
        string metadataKey;
        bytes metadataValue;
    }

    bytes32 public constant AGENT_WALLET_SET_TYPEHASH =
        keccak256("AgentWalletSet(uint256 agentId,address newWallet,address owner,uint256 deadline)");
    uint256 public constant LONGEST_DEADLINE_SECONDS = 5 minutes;
    string private constant AGENT_WALLET = "agentWallet";
    bytes32 private constant AGENT_WALLET_HASH = keccak256(bytes(AGENT_WALLET));

    uint256 private _lastAgentId;
    mapping(address registrant => uint256 agentId) private _firstAgents;
    mapping(uint256 agentId => mapping(string metadataKey => bytes)) private _metadata;

    event Registered(uint256 indexed agentId, string agentURI, address indexed owner);
    event MetadataSet(
        uint256 indexed agentId, string indexed indexedMetadataKey, string metadataKey, bytes metadataValue
    );
    event URIUpdated(uint256 indexed agentId, string newURI, address indexed updatedBy);

    error NotAuthorized(address caller, uint256 agentId);
    error KeyReserved();
    error WalletNotAllowed(address wallet);
    error DeadlineNotAllowed(uint256 deadline);
    error WrongWalletSignature();

    constructor(address trustedForwarder)
        ERC721("Agent Identity", "AGENT")
        ERC2771Context(trustedForwarder)
        EIP712("ERC8004IdentityRegistry", "1")
    {}

    modifier onlyAuthorized(uint256 agentId) {
        if (!isAuthorizedOrOwner(_msgSender(), agentId)) revert NotAuthorized(_msgSender(), agentId);
        _;
    }

    function register() external returns (uint256 agentId) {
        return _register("");
    }

    function register(string calldata agentURI) external returns (uint256 agentId) {
        return _register(agentURI);
    }

    function register(string calldata agentURI, MetadataEntry[] calldata metadata) external returns (uint256 agentId) {
        agentId = _register(agentURI);
        for (uint256 index = 0; index < metadata.length; index++) {
            _requireNotReserved(metadata[index].metadataKey);
            _setMetadata(agentId, metadata[index].metadataKey, metadata[index].metadataValue);
        }
    }

    function setAgentURI(uint256 agentId, string calldata newURI) external onlyAuthorized(agentId) {
        _setTokenURI(agentId, newURI);
        emit URIUpdated(agentId, newURI, _msgSender());
    }

    function setMetadata(uint256 agentId, string calldata metadataKey, bytes calldata metadataValue)
        external
        onlyAuthorized(agentId)
    {
        _requireNotReserved(metadataKey);
        _setMetadata(agentId, metadataKey, metadataValue);
    }

    /// `signature` is the new wallet's, so that nobody names a wallet that is not with him.
    function setAgentWallet(uint256 agentId, address newWallet, uint256 deadline, bytes calldata signature)
        external
        onlyAuthorized(agentId)
    {
        if (newWallet == address(0)) revert WalletNotAllowed(newWallet);
        if (block.timestamp > deadline || deadline > block.timestamp + LONGEST_DEADLINE_SECONDS) {
            revert DeadlineNotAllowed(deadline);
        }
        bytes32 digest = _hashTypedDataV4(
            keccak256(abi.encode(AGENT_WALLET_SET_TYPEHASH, agentId, newWallet, ownerOf(agentId), deadline))
        );
        if (!SignatureChecker.isValidSignatureNow(newWallet, digest, signature)) revert WrongWalletSignature();
        _setMetadata(agentId, AGENT_WALLET, abi.encodePacked(newWallet));
    }

    function unsetAgentWallet(uint256 agentId) external onlyAuthorized(agentId) {
        _setMetadata(agentId, AGENT_WALLET, "");
    }

    function getMetadata(uint256 agentId, string calldata metadataKey) external view returns (bytes memory) {
        return _metadata[agentId][metadataKey];
    }

    /// Zero when there is none.
    function getAgentWallet(uint256 agentId) external view returns (address) {
        return address(bytes20(_metadata[agentId][AGENT_WALLET]));
    }

    /// The first agent that this address registered, whoever owns it now; 0 if it registered none.
    function agentOf(address registrant) external view returns (uint256 agentId) {
        return _firstAgents[registrant];
    }

    /// Whether `spender` owns the agent, or may act for its owner.
    function isAuthorizedOrOwner(address spender, uint256 agentId) public view returns (bool) {
        return _isAuthorized(ownerOf(agentId), spender, agentId);
    }

    function _register(string memory agentURI) private returns (uint256 agentId) {
        address owner = _msgSender();
        agentId = ++_lastAgentId;
        if (_firstAgents[owner] == 0) _firstAgents[owner] = agentId;
        // Whoever registers an agent can call, so it needs no question whether it knows what a token is.
        _mint(owner, agentId);
        if (bytes(agentURI).length > 0) _setTokenURI(agentId, agentURI);
        emit Registered(agentId, agentURI, owner);
        _setMetadata(agentId, AGENT_WALLET, abi.encodePacked(owner));
    }

    function _setMetadata(uint256 agentId, string memory metadataKey, bytes memory metadataValue) private {
        _metadata[agentId][metadataKey] = metadataValue;
        emit MetadataSet(agentId, metadataKey, metadataKey, metadataValue);
    }

    function _requireNotReserved(string calldata metadataKey) private pure {
        if (keccak256(bytes(metadataKey)) == AGENT_WALLET_HASH) revert KeyReserved();
    }

    /// A new owner has to show that a wallet is his.
    function _update(address to, uint256 agentId, address authorized) internal override returns (address from) {
        from = super._update(to, agentId, authorized);
        if (from != address(0)) _setMetadata(agentId, AGENT_WALLET, "");
    }

    function _msgSender() internal view override(Context, ERC2771Context) returns (address) {
        return ERC2771Context._msgSender();
    }

    function _msgData() internal view override(Context, ERC2771Context) returns (bytes calldata) {
        return ERC2771Context._msgData();
    }

    function _contextSuffixLength() internal view override(Context, ERC2771Context) returns (uint256) {
        return ERC2771Context._contextSuffixLength();
    }
}
